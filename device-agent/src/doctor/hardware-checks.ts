/** Supply and watchdog. */

import { type Check, type CheckContext, isRaspberryPi, MODEL } from './check-context';
import { fail, ok, warn } from './finding';

const THROTTLED = '/sys/devices/platform/soc/soc:firmware/get_throttled';
const HWMON = '/sys/class/hwmon';
/** Bits of the firmware's word. Source: raspberrypi.com, "vcgencmd get_throttled". */
const UNDER_VOLTAGE_NOW = 0x1;
const UNDER_VOLTAGE_BEFORE = 0x10000;
/** RuntimeWatchdogUSec if systemd feeds no watchdog. */
const UNFED: readonly string[] = ['', '0', 'off', 'infinity'];

/** The whole Zero range has no detector: its firmware's word is always 0. */
const WITHOUT_DETECTOR = /Raspberry Pi Zero/;

export const supply: Check = async (context) => {
  if (!isRaspberryPi(context)) return ok('supply-not-watched', {});
  if (WITHOUT_DETECTOR.test(context.machine.textOf(MODEL) ?? '')) return warn('supply-not-measured', {});
  const word = await throttledWord(context);
  const alarm = monitorAlarm(context);
  if (alarm === '1' || (word !== null && (word & UNDER_VOLTAGE_NOW) !== 0)) return fail('under-voltage', {});
  if (word !== null && (word & UNDER_VOLTAGE_BEFORE) !== 0) return warn('under-voltage-before', {});
  if (word !== null) return ok('supply-well', {});
  if (alarm === '0') return ok('supply-well-now', {});
  // vcgencmd uses this file; Debian's kernel has neither it nor the monitor.
  const isReadable = context.machine.rightsOf('/dev/vcio') !== null;
  return warn(isReadable ? 'supply-silent' : 'supply-not-reported', {});
};

/**
 * The alarm of the kernel's raspberrypi-hwmon: `1` if there was under-voltage within the last seconds; undefined: it is not
 * there.
 */
function monitorAlarm({ machine }: CheckContext): string | undefined {
  const monitor = machine
    .namesIn(HWMON)
    .find((sensor) => machine.textOf(`${HWMON}/${sensor}/name`)?.trim() === 'rpi_volt');
  return monitor === undefined ? undefined : machine.textOf(`${HWMON}/${monitor}/in0_lcrit_alarm`)?.trim();
}

async function throttledWord({ machine }: CheckContext): Promise<number | null> {
  const own = machine.textOf(THROTTLED)?.trim();
  const printed = own
    ? `0x${own.replace(/^0x/, '')}`
    : (await machine.run('vcgencmd', ['get_throttled']))?.split('=')[1];
  const word = Number(printed?.trim() || Number.NaN);
  return Number.isSafeInteger(word) ? word : null;
}

export const watchdog: Check = async (context) => {
  const isThere = context.machine.namesIn('/dev').some((file) => file.startsWith('watchdog'));
  if (!isThere) return isRaspberryPi(context) ? warn('no-watchdog', {}) : ok('no-watchdog-known', {});
  const printed = await context.machine.run('systemctl', ['show', '--property=RuntimeWatchdogUSec', '--value']);
  if (printed === null) return warn('watchdog-not-seen', {});
  const period = printed.trim();
  return UNFED.includes(period) ? warn('watchdog-not-fed', {}) : ok('watchdog-fed', { period });
};
