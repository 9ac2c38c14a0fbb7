/** Whether this kernel lets a program hold GPIO lines. */

import { boardFacts } from '../provisioning/boards/board-facts';
import { type Check, type CheckContext, withSettings } from './check-context';
import { type CheckResult, fail, ok, warn } from './finding';

/** Linux with version 2 of the GPIO character device. */
const LEAST = [5, 10] as const;
const SYSFS = '/sys/class/gpio';

export const kernelVersion: Check = ({ machine, settings }) => {
  const release = machine.kernelRelease;
  const [major = 0, minor = 0] = release.split('.').map((part) => Number.parseInt(part, 10));
  const isNew = major > LEAST[0] || (major === LEAST[0] && minor >= LEAST[1]);
  if (isNew) return ok('kernel-well', { release });
  const isNeeded = settings?.board.kind === 'gpio';
  const old = { release, least: LEAST.join('.'), isNeeded };
  return isNeeded ? fail('kernel-old', old) : warn('kernel-old', old);
};

export const gpioAccess = withSettings((context, { board }) => {
  const { access } = boardFacts(board);
  switch (access) {
    case null:
      return ok('gpio-not-needed', { kind: 'simulated' });
    case 'serial':
      return ok('gpio-not-needed', { kind: 'serial' });
    case 'gpio-sysfs':
      return throughSysfs(context);
    case 'gpio-chip':
      return throughCharacterDevice(context);
    default:
      return access satisfies never;
  }
});

function throughCharacterDevice({ machine }: CheckContext): CheckResult {
  const chips = machine.namesIn('/dev').filter((file) => /^gpiochip\d+$/.test(file));
  if (chips.length === 0) return fail('no-gpio-chip', {});
  const paths = chips.map((file) => `/dev/${file}`);
  const closed = paths.filter((path) => !machine.isUsable(path));
  // This shows this user's rights, and not the guard's.
  return closed.length === 0 ? ok('gpio-chips', { paths }) : warn('gpio-chips-closed', { paths: closed });
}

function throughSysfs({ machine }: CheckContext): CheckResult {
  if (machine.namesIn(SYSFS).length === 0) return fail('no-sysfs', { folder: SYSFS });
  const file = `${SYSFS}/export`;
  return machine.isUsable(file) ? ok('sysfs', { folder: SYSFS }) : warn('sysfs-closed', { file });
}
