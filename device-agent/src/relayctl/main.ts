import { readFileSync } from 'node:fs';
import { userInfo } from 'node:os';
import type { Cancel } from '@relaygate/shared';
import type { BoardProfile, ConsoleLanguage } from '@relaygate/shared/device';
import { runPrinting } from '@relaygate/shared/failed-output';
import { plainText } from '@relaygate/shared/plain-text';
import { systemClock } from '@relaygate/shared/system-clock';
import type { DeviceRefusal } from '../ipc/device-refusal';
import { type RelayctlTranslations, terminalLanguage } from '../locales/relayctl';
import { terminal } from '../platform/terminal';
import { unixDial } from '../platform/unix-dial';
import { BOARD_CONFIG_FILE } from '../provisioning/boards/boot-config';
import { complaint } from '../runtime/command-line';
import { DEFAULT_BOOT_DIR } from '../runtime/folders';
import { orElse } from '../runtime/or-else';
import type { Examine } from './command-deps';
import type { CommandFamily } from './command-family';
import { EXIT } from './exit-codes';
import { type RelayctlDeps, relayctl } from './relayctl';
import type { SerialPortFound } from './serial-ports';

/** In the order of the help. */
const FAMILIES: readonly CommandFamily[] = [
  family('output'),
  family('input'),
  family('identity'),
  family('lock', 'unlock'),
  family('log'),
  family('board'),
  family('prove'),
  family('factory-reset'),
  family('doctor'),
  family('web'),
  family('history'),
];

export async function main(argv: string[]): Promise<void> {
  const complain = (text: string): void => void process.stderr.write(`${plainText(text)}\n`);
  // Programs read the same on every machine.
  const t = translationsIn(argv.includes('--json') ? 'en' : terminalLanguage(process.env));
  const deps: RelayctlDeps = {
    print: (text) => void process.stdout.write(`${plainText(text)}\n`),
    complain,
    dial: unixDial,
    clock: systemClock,
    t,
    translationsIn,
    refusalIn,
    onInterrupt,
    terminal,
    examine,
    dataDir: process.env.RELAYGATE_DEVICE_DATA_DIR,
    userName: nameOfUser(),
    boards: profilesOf,
    boardConfig,
    serialPorts: portsOf,
    runDir: process.env.RELAYGATE_DEVICE_RUN_DIR,
    families: FAMILIES,
  };
  await runPrinting({
    run: () => relayctl(argv, deps),
    unwritten: (message) => complain(complaint('relayctl', argv, 'outcome-unknown', t.unprinted(message))),
    unwrittenCode: EXIT.unknown,
    // `log -f | head` would go on for ever. A command that ends just now leaves its exit code first.
    unread: () => void setImmediate(() => process.exit()),
  });
}

/** Commands in the file that has the first one's name. Loaded only when needed, so that relayctl starts fast. */
function family(...names: readonly [string, ...string[]]): CommandFamily {
  return {
    names,
    load() {
      const file: { addCommands: ReturnType<CommandFamily['load']> } = require(`./${names[0]}-commands`);
      return file.addCommands;
    },
  };
}

/** Until the request is through, Ctrl-C does not end relayctl before it has said what is known. A second one does. */
function onInterrupt(run: () => void): Cancel {
  const signals = ['SIGINT', 'SIGTERM'] as const;
  const cancel = (): void => {
    for (const signal of signals) process.off(signal, interrupted);
  };
  const interrupted = (): void => {
    cancel();
    run();
  };
  for (const signal of signals) process.on(signal, interrupted);
  return cancel;
}

function translationsIn(language: ConsoleLanguage): RelayctlTranslations {
  const { RELAYCTL: t }: { RELAYCTL: RelayctlTranslations } =
    language === 'fr' ? require('../locales/fr/relayctl') : require('../locales/en/relayctl');
  return t;
}

function refusalIn(refusal: DeviceRefusal, language: ConsoleLanguage): string {
  if (language === 'en') return refusal.message;
  const { refusalText }: typeof import('../locales/refusal-text') = require('../locales/refusal-text');
  const { FR }: typeof import('../locales/fr') = require('../locales/fr');
  return refusalText(refusal, FR);
}

function profilesOf(folder: string | undefined): BoardProfile[] {
  return (require('./board-profiles') as typeof import('./board-profiles')).readBoardProfiles(folder);
}

function boardConfig(): string | null {
  return orElse(() => readFileSync(`${DEFAULT_BOOT_DIR}/${BOARD_CONFIG_FILE}`, 'utf8'), null);
}

function portsOf(profiles: readonly BoardProfile[]): SerialPortFound[] {
  return (require('./serial-ports') as typeof import('./serial-ports')).serialPorts(profiles);
}

const examine: Examine = (options) => {
  return (require('../doctor/compose') as typeof import('../doctor/compose')).doctor(options);
};

/** Without a name, as in a container, the user's id. */
function nameOfUser(): string {
  return orElse(() => userInfo().username, `uid ${process.getuid?.() ?? 'unknown'}`);
}
