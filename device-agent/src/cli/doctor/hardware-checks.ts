/** Supply and watchdog. */
import { fail, ok, warn } from './finding';
import { type Check, isRaspberryPi, type Look } from './look';

const THROTTLED = '/sys/devices/platform/soc/soc:firmware/get_throttled';
const HWMON = '/sys/class/hwmon';
/** Bits of the firmware's word. Source: raspberrypi.com, "vcgencmd get_throttled". */
const UNDER_VOLTAGE_NOW = 0x1;
const UNDER_VOLTAGE_BEFORE = 0x10000;
/** RuntimeWatchdogUSec of a systemd that lets it be. */
const UNFED: readonly string[] = ['', '0', 'off', 'infinity'];

export const supply: Check = async (look) => {
  const name = 'supply';
  if (!isRaspberryPi(look)) return ok(name, 'supply-not-watched', {});
  const word = await throttledWord(look);
  const isAlarm = look.machine
    .namesIn(HWMON)
    .filter((sensor) => look.machine.textOf(`${HWMON}/${sensor}/name`)?.trim() === 'rpi_volt')
    .some((sensor) => look.machine.textOf(`${HWMON}/${sensor}/in0_lcrit_alarm`)?.trim() === '1');
  if (isAlarm || (word !== null && (word & UNDER_VOLTAGE_NOW) !== 0)) return fail(name, 'under-voltage', {});
  if (word !== null && (word & UNDER_VOLTAGE_BEFORE) !== 0) return warn(name, 'under-voltage-before', {});
  return word === null ? warn(name, 'supply-silent', {}) : ok(name, 'supply-well', {});
};

async function throttledWord({ machine }: Look): Promise<number | null> {
  const own = machine.textOf(THROTTLED)?.trim();
  const printed = own
    ? `0x${own.replace(/^0x/, '')}`
    : (await machine.run('vcgencmd', ['get_throttled']))?.split('=')[1];
  const word = Number(printed?.trim() || Number.NaN);
  return Number.isSafeInteger(word) ? word : null;
}

export const watchdog: Check = async (look) => {
  const name = 'watchdog';
  const isThere = look.machine.namesIn('/dev').some((file) => file.startsWith('watchdog'));
  if (!isThere) return isRaspberryPi(look) ? warn(name, 'no-watchdog', {}) : ok(name, 'no-watchdog-known', {});
  const printed = await look.machine.run('systemctl', ['show', '--property=RuntimeWatchdogUSec', '--value']);
  if (printed === null) return warn(name, 'watchdog-not-seen', {});
  const period = printed.trim();
  return UNFED.includes(period) ? warn(name, 'watchdog-not-fed', {}) : ok(name, 'watchdog-fed', { period });
};
