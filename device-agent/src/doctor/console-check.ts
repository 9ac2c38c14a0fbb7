/** The port of the serial console: there, allowed, and nobody else's. */

import type { Check } from './check-context';
import { type CheckResult, fail, ok, warn } from './finding';

const OWN_PROGRAM = 'relaygate-agent';
/** The states of a login that is there, comes back or is about to come. */
const GETTY_STATES: readonly string[] = ['active', 'activating', 'reloading'];

export const consolePort: Check = async ({ machine, settings }) => {
  const port = settings?.console?.port;
  if (port === undefined) return ok('no-console', {});
  if (machine.rightsOf(port) === null) return missing(port);
  const tty = machine.realPathOf(port).replace(/^\/dev\//, '');
  const login = `serial-getty@${tty}.service`;
  const state = await machine.run('systemctl', ['show', '--property=ActiveState', '--value', login]);
  const isBootConsole = (machine.textOf('/sys/class/tty/console/active') ?? '').trim().split(' ').includes(tty);
  if (state !== null && GETTY_STATES.includes(state.trim()))
    return fail('console-login', { port, login, tty, isBootConsole });
  const { openers: all, isWhole } = machine.openersOf(port);
  const openers = all.filter(({ commandLine }) => !commandLine.includes(OWN_PROGRAM));
  if (openers.length > 0) return fail('console-opened', { port, openers });
  if (isBootConsole) return warn('console-of-kernel', { port, tty });
  if (!machine.isUsable(port)) return warn('console-closed', { port });
  if (state === null) return warn('console-half-seen', { port, what: 'login' });
  return isWhole ? ok('console-well', { port }) : warn('console-half-seen', { port, what: 'openers' });
};

function missing(port: string): CheckResult {
  const kind = /ttyGS/.test(port) ? 'gadget' : /serial0|ttyAMA|ttyS/.test(port) ? 'header' : 'adapter';
  return fail('console-missing', { port, kind });
}
