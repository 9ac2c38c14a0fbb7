/** Supply and watchdog. */
import type { Finding } from '../../agent/local-messages/doctor';
import { fail, ok, warn } from './finding';
import { type Check, isRaspberryPi, type Look } from './look';

const THROTTLED = '/sys/devices/platform/soc/soc:firmware/get_throttled';
const HWMON = '/sys/class/hwmon';
/** Bits of the firmware's word. Source: raspberrypi.com, "vcgencmd get_throttled". */
const UNDER_VOLTAGE_NOW = 0x1;
const UNDER_VOLTAGE_BEFORE = 0x10000;

export const supply: Check = async (look) => {
  const name = 'supply';
  if (!isRaspberryPi(look)) return ok(name, 'not a Raspberry Pi: its supply is not watched');
  const word = await throttledWord(look);
  const isAlarm = look.machine
    .namesIn(HWMON)
    .filter((sensor) => look.machine.textOf(`${HWMON}/${sensor}/name`)?.trim() === 'rpi_volt')
    .some((sensor) => look.machine.textOf(`${HWMON}/${sensor}/in0_lcrit_alarm`)?.trim() === '1');
  const cure = 'use a supply that is made for this board, and a short cable';
  const means = 'the board may restart or corrupt its card, most likely when relays close';
  if (isAlarm || (word !== null && (word & UNDER_VOLTAGE_NOW) !== 0))
    return fail(name, 'under-voltage now', means, cure);
  if (word !== null && (word & UNDER_VOLTAGE_BEFORE) !== 0)
    return warn(name, 'under-voltage since the last boot', means, cure);
  return word === null
    ? warn(name, 'the firmware does not tell', '', 'look for a lightning bolt on the screen')
    : ok(name, 'no under-voltage since the last boot');
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
  const printed = await look.machine.run('systemctl', ['show', '--property=RuntimeWatchdogUSec', '--value']);
  const isThere = look.machine.namesIn('/dev').some((file) => file.startsWith('watchdog'));
  return isThere ? fed(name, printed?.trim() ?? '') : absent(name, isRaspberryPi(look));
};

function fed(name: string, period: string): Finding {
  if (!['', '0', 'off', 'infinity'].includes(period)) return ok(name, `systemd feeds it every ${period}`);
  return warn(
    name,
    'there is one, and systemd does not feed it',
    'a machine that hangs stays so until somebody comes',
    'RuntimeWatchdogSec=15s in /etc/systemd/system.conf',
  );
}

function absent(name: string, isPi: boolean): Finding {
  if (!isPi) return ok(name, 'none; not a Raspberry Pi');
  return warn(name, 'none', 'a machine that hangs stays so until somebody comes', 'dtparam=watchdog=on in config.txt');
}
