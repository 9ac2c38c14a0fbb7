import { AS_ROOT } from './as-root';

const PROVE = 'stand where the relays are seen and run "relayctl prove --by NAME"';
const CONSOLE_CURES = {
  gadget: 'dtoverlay=dwc2 in config.txt and the module g_serial, or another console.port in settings.json',
  header: 'in raspi-config the serial port on and the login shell on it off, then reboot',
  adapter: 'plug the adapter in, or name it in settings.json as "relayctl board ports" shows it',
} as const;
const HALF_SEEN = { login: 'whether a login is on it', openers: 'who else has it open' } as const;

type Paths = { paths: readonly string[] };

export const OF_DEVICES = {
  'settings-unusable': {
    found: '{problem}',
    means: 'neither guard nor agent can start',
    cure: 'mend it as the sentence says',
  },
  'settings-well': {
    found: '{outputs} outputs on a board of kind {kind}, product {product}',
  },
  'agent-away': {
    found: '{problem}',
    means: 'no remote command can come',
    cure: 'systemctl status relaygate-agent',
  },
  'agent-not-seen': { found: 'not seen from here: {socket} is not for this user', cure: AS_ROOT },
  'guard-away': {
    found: 'guard away: {problem}',
    means: 'no output can be moved',
    cure: 'systemctl status relaygate-guard',
  },
  'programs-run': { found: 'agent {version} and guard run' },
  'faults-unknown': { found: 'not known without the agent', cure: 'see "programs"' },
  'no-faults': { found: 'none' },
  faults: ({ texts }: { texts: readonly string[] }) => ({
    found: texts.join(' '),
    cure: 'as each says; see "relayctl status"',
  }),
  linked: { found: 'enrolled, and linked (epoch {epoch})' },
  'no-key': {
    found: 'there is no key pair yet',
    means: 'it is made at the first start of the agent',
    cure: 'start relaygate-agent',
  },
  'not-linked': ({ hasCode }: { hasCode: boolean }) => ({
    found: `not linked; ${codeWords(hasCode)}`,
    cure: 'start relaygate-agent',
  }),
  'not-enrolled': ({ problem, hasCode }: { problem: string | null; hasCode: boolean }) => ({
    found: `not linked${problem === null ? '' : `: ${problem}`}; ${codeWords(hasCode)}`,
    means: 'no remote command can come',
    cure: hasCode
      ? 'see "server"; if that is well, ask the operator for a new code'
      : 'if the server does not know this device: the code of "relaygate-server product create", or if that is used or lost, of "product revoke-device LOGIN", into DATA/enrolment-code',
  }),
  'never-proven': ({ isRequired }: { isRequired: boolean }) => ({
    found: 'the wiring was never proven',
    means: isRequired ? 'remote commands are refused' : 'nobody has seen that each output moves its own relay',
    cure: PROVE,
  }),
  proven: ({ by, at }: { by: string; at: string | null }) => ({
    found: `by ${by} ${at === null ? 'while the clock was not set' : `at ${at}`}; status says so if the wiring is another by now`,
  }),
  'proof-unreadable': {
    found: 'proof.json cannot be read: {problem}',
    means: 'it proves nothing',
    cure: PROVE,
  },
  'no-console': { found: 'no serial console is set' },
  'console-missing': ({ port, kind }: { port: string; kind: keyof typeof CONSOLE_CURES }) => ({
    found: `there is no ${port}`,
    means: 'no terminal program finds the menu',
    cure: CONSOLE_CURES[kind],
  }),
  'console-login': ({
    port,
    login,
    tty,
    isBootConsole,
  }: {
    port: string;
    login: string;
    tty: string;
    isBootConsole: boolean;
  }) => ({
    found: `${port}: the login of ${login} is on it`,
    means: 'whoever plugs a laptop in finds that login instead of the menu',
    cure: `sudo systemctl mask --now ${login}${isBootConsole ? `; ${noBootConsole(tty)}` : ''}; then restart relaygate-agent`,
  }),
  'console-opened': ({
    port,
    openers,
  }: {
    port: string;
    openers: readonly { pid: number; commandLine: string }[];
  }) => ({
    found: `${port} is open in ${openers.map(({ pid, commandLine }) => `"${commandLine}" (process ${pid})`).join(', ')}`,
    means: 'the agent cannot have it',
    cure: 'stop that program; the agent takes the port within 2 s',
  }),
  'console-of-kernel': ({ port, tty }: { port: string; tty: string }) => ({
    found: `${port} is a console of the kernel`,
    means: 'its messages stand between those of the menu, and systemd starts a login on it at each boot',
    cure: noBootConsole(tty),
  }),
  'console-closed': {
    found: 'not seen from here: {port} is not for this user',
    cure: `${AS_ROOT}; the agent must be in the group dialout`,
  },
  'console-half-seen': ({ port, what }: { port: string; what: keyof typeof HALF_SEEN }) => ({
    found: `${port} is there; ${HALF_SEEN[what]} is not seen from here`,
    cure: AS_ROOT,
  }),
  'console-well': { found: '{port} is there, and nobody but the agent has it' },
  'data-missing': {
    found: '{folder} is missing',
    means: 'nothing can be saved',
    cure: 'give the folder by --data, or install the package',
  },
  'secrets-open': ({ paths }: Paths) => ({
    found: `others may read ${paths.join(' ')}`,
    means: 'whoever reads the key can pass for this device',
    cure: `chmod 600 ${paths.join(' ')}`,
  }),
  'secrets-foreign': ({ owner, paths }: Paths & { owner: string }) => ({
    found: `${paths.join(' ')} does not belong to ${owner}, the agent's user`,
    means: 'the agent may not be able to read it',
    cure: `chown ${owner} ${paths.join(' ')}`,
  }),
  'no-secrets': { found: 'none yet' },
  'secrets-closed': { found: 'for their owner alone' },
  'access-open': ({ paths }: Paths) => ({
    found: `open to everybody: ${paths.join(' ')}`,
    means: 'any user of this machine can move the relays',
    cure: `chmod o= ${paths.join(' ')}`,
  }),
  'access-closed': { found: 'data folder, settings and sockets are closed to others' },
} as const;

function codeWords(hasCode: boolean): string {
  return hasCode ? 'a code waits for its first use' : 'no code waits';
}

function noBootConsole(tty: string): string {
  const names = tty === 'ttyS0' || tty === 'ttyAMA0' ? `console=serial0 or console=${tty}` : `console=${tty}`;
  return `take ${names} out of cmdline.txt and reboot`;
}
