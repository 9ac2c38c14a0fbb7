/** The port of the serial console: there, allowed, and nobody else's. */
import type { Finding } from '../../agent/local-messages/doctor';
import { fail, ok, warn } from './finding';
import type { Check } from './look';

const OWN_PROGRAM = 'relaygate-agent';
/** Of a login that is there, comes back or is about to come. */
const GETTY_STATES: readonly string[] = ['active', 'activating', 'reloading'];

export const consolePort: Check = async ({ machine, settings }) => {
  const name = 'console';
  const port = settings?.console?.port;
  if (port === undefined) return ok(name, 'no serial console is set');
  if (machine.rightsOf(port) === null) return missing(name, port);
  const tty = machine.realPathOf(port).replace(/^\/dev\//, '');
  const login = `serial-getty@${tty}.service`;
  const state = (await machine.run('systemctl', ['show', '--property=ActiveState', '--value', login]))?.trim() ?? '';
  const isBootConsole = (machine.textOf('/sys/class/tty/console/active') ?? '').trim().split(' ').includes(tty);
  if (GETTY_STATES.includes(state))
    return fail(
      name,
      `${port}: the login of ${login} is on it`,
      'whoever plugs a laptop in finds that login instead of the menu',
      `sudo systemctl mask --now ${login}${isBootConsole ? `; ${noBootConsole(tty)}` : ''}; then restart relaygate-agent`,
    );
  const others = machine.openersOf(port).filter(({ commandLine }) => !commandLine.includes(OWN_PROGRAM));
  if (others.length > 0)
    return fail(
      name,
      `${port} is open in ${others.map(({ pid, commandLine }) => `"${commandLine}" (process ${pid})`).join(', ')}`,
      'the agent cannot have it',
      'stop that program; the agent takes the port within 2 s',
    );
  if (isBootConsole)
    return warn(
      name,
      `${port} is a console of the kernel`,
      'its messages stand between those of the menu, and systemd starts a login on it at each boot',
      noBootConsole(tty),
    );
  if (!machine.isUsable(port))
    return warn(
      name,
      `${port} is not for this user`,
      '',
      'look again with sudo; the agent must be in the group dialout',
    );
  return ok(name, `${port} is there, and nobody but the agent has it`);
};

function missing(name: string, port: string): Finding {
  const cures: [RegExp, string][] = [
    [/ttyGS/, 'dtoverlay=dwc2 in config.txt and the module g_serial, or another console.port in settings.json'],
    [/serial0|ttyAMA|ttyS/, 'in raspi-config the serial port on and the login shell on it off, then reboot'],
  ];
  const cure = cures.find(([pattern]) => pattern.test(port))?.[1];
  const general = 'plug the adapter in, or name it in settings.json as "relayctl board ports" shows it';
  return fail(name, `there is no ${port}`, 'no terminal program finds the menu', cure ?? general);
}

function noBootConsole(tty: string): string {
  const names = tty === 'ttyS0' || tty === 'ttyAMA0' ? `console=serial0 or console=${tty}` : `console=${tty}`;
  return `take ${names} out of cmdline.txt and reboot`;
}
