/** Whether this kernel lets a program hold GPIO lines. */
import type { Finding } from '../../agent/local-messages/doctor';
import { fail, ok, warn } from './finding';
import type { Check, Look } from './look';

/** Linux with version 2 of the GPIO character device. */
const LEAST = [5, 10] as const;
const SYSFS = '/sys/class/gpio';

export const kernelVersion: Check = ({ machine, settings }) => {
  const name = 'kernel';
  const found = `Linux ${machine.kernelRelease}`;
  const [major = 0, minor = 0] = machine.kernelRelease.split('.').map((part) => Number.parseInt(part, 10));
  const isNew = major > LEAST[0] || (major === LEAST[0] && minor >= LEAST[1]);
  if (isNew) return ok(name, found);
  const means = `the GPIO character device needs Linux ${LEAST.join('.')} or newer`;
  if (settings?.board.kind !== 'gpio')
    return warn(name, found, means, 'use "relayctl board use NAME --sysfs" for GPIO');
  return fail(name, found, means, 'use "relayctl board use NAME --sysfs", or a newer kernel');
};

export const gpioAccess: Check = (look) => {
  const name = 'GPIO access';
  const { settings } = look;
  if (!settings) return warn(name, 'not looked at: there are no settings', '', 'mend settings.json');
  const { board } = settings;
  switch (board.kind) {
    case 'simulated':
      return ok(name, 'not needed: the board is simulated');
    case 'gpio-sysfs':
      return throughSysfs(name, look);
    case 'gpio':
      return throughCharacterDevice(name, look);
    case 'modbus':
    case 'lcus':
      return ok(name, 'not needed: the relays are on a serial port');
    default:
      return board satisfies never;
  }
};

function throughCharacterDevice(name: string, { machine }: Look): Finding {
  const chips = machine.namesIn('/dev').filter((file) => /^gpiochip\d+$/.test(file));
  const means = 'the guard cannot hold a relay';
  if (chips.length === 0)
    return fail(name, 'there is no /dev/gpiochip*', means, 'load the GPIO driver, or use --sysfs');
  const closed = chips.filter((file) => !machine.isUsable(`/dev/${file}`));
  if (closed.length === 0) return ok(name, chips.map((file) => `/dev/${file}`).join(', '));
  // It is this user's right that was seen, not the guard's.
  return warn(
    name,
    `${closed.map((file) => `/dev/${file}`).join(', ')} is not for this user`,
    `if the guard runs as this user, ${means}`,
    'look again with sudo; the guard must be in the group gpio',
  );
}

function throughSysfs(name: string, { machine }: Look): Finding {
  if (machine.namesIn(SYSFS).length === 0)
    return fail(name, `there is no ${SYSFS}`, 'the guard cannot hold a relay', 'use the board without --sysfs');
  if (machine.isUsable(`${SYSFS}/export`)) return ok(name, SYSFS);
  return warn(name, `${SYSFS}/export is not for this user`, '', 'look again with sudo');
}
