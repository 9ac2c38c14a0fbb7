/** Whether this kernel lets a program hold GPIO lines. */

import { boardFacts } from '../provisioning/boards/board-facts';
import { type Check, type CheckContext, withoutSettings } from './check-context';
import { type CheckResult, fail, ok, warn } from './finding';

/** Linux with version 2 of the GPIO character device. */
const LEAST = [5, 10] as const;
const SYSFS = '/sys/class/gpio';

export const kernelVersion: Check = ({ machine, settings }) => {
  const name = 'kernel';
  const release = machine.kernelRelease;
  const [major = 0, minor = 0] = release.split('.').map((part) => Number.parseInt(part, 10));
  const isNew = major > LEAST[0] || (major === LEAST[0] && minor >= LEAST[1]);
  if (isNew) return ok(name, 'kernel-well', { release });
  const isNeeded = settings?.board.kind === 'gpio';
  const old = { release, least: LEAST.join('.'), isNeeded };
  return isNeeded ? fail(name, 'kernel-old', old) : warn(name, 'kernel-old', old);
};

export const gpioAccess: Check = (context) => {
  const name = 'GPIO access';
  const { settings } = context;
  if (!settings) return withoutSettings(name, context);
  const { access } = boardFacts(settings.board);
  switch (access) {
    case null:
      return ok(name, 'gpio-not-needed', { kind: 'simulated' });
    case 'serial':
      return ok(name, 'gpio-not-needed', { kind: 'serial' });
    case 'gpio-sysfs':
      return throughSysfs(name, context);
    case 'gpio-chip':
      return throughCharacterDevice(name, context);
    default:
      return access satisfies never;
  }
};

function throughCharacterDevice(name: 'GPIO access', { machine }: CheckContext): CheckResult {
  const chips = machine.namesIn('/dev').filter((file) => /^gpiochip\d+$/.test(file));
  if (chips.length === 0) return fail(name, 'no-gpio-chip', {});
  const paths = chips.map((file) => `/dev/${file}`);
  const closed = paths.filter((path) => !machine.isUsable(path));
  // This shows this user's rights, and not the guard's.
  return closed.length === 0 ? ok(name, 'gpio-chips', { paths }) : warn(name, 'gpio-chips-closed', { paths: closed });
}

function throughSysfs(name: 'GPIO access', { machine }: CheckContext): CheckResult {
  if (machine.namesIn(SYSFS).length === 0) return fail(name, 'no-sysfs', { folder: SYSFS });
  const file = `${SYSFS}/export`;
  return machine.isUsable(file) ? ok(name, 'sysfs', { folder: SYSFS }) : warn(name, 'sysfs-closed', { file });
}
