/** The doctor's findings on machines in memory: a healthy one, and one that has a single thing wrong. */
import { describe, expect, test } from '@jest/globals';
import type { Finding } from '@relaygate/device-agent/agent/technician/local-messages/doctor';
import { examine } from '@relaygate/device-agent/doctor/doctor';
import { outputsWith } from '../../../support/device/device';
import { findingsOf, NOW_MS, PlayedMachine } from '../../../support/device/played-machine';

async function found(name: string, change: (machine: PlayedMachine) => unknown): Promise<Finding | undefined> {
  const machine = new PlayedMachine();
  change(machine);
  return (await findingsOf(machine)).get(name);
}

function failing(code: string): () => Promise<never> {
  return () => Promise.reject(Object.assign(new Error(code), { code }));
}

test('a healthy device has nothing to look at, and each thing is told once', async () => {
  const findings = await examine(new PlayedMachine().context(), () => {});
  expect(findings.filter(({ verdict }) => verdict !== 'ok')).toEqual([]);
  expect(new Set(findings.map(({ name }) => name)).size).toBe(findings.length);
  expect(findings).toHaveLength(24);
});

interface Illness {
  name: string;
  verdict: 'warn' | 'fail';
  says: RegExp;
  change: (machine: PlayedMachine) => unknown;
}

const DAY_MS = 86_400_000;
const THROTTLED = '/sys/devices/platform/soc/soc:firmware/get_throttled';
const seen = { roundTripMs: 20, certificateEndsMs: NOW_MS + 90 * DAY_MS, serverEpochMs: NOW_MS, ownEpochMs: NOW_MS };
const ILLNESSES: Illness[] = [
  { name: 'settings', verdict: 'fail', says: /missing/, change: (m) => Object.assign(m, { settings: null }) },
  { name: 'programs', verdict: 'fail', says: /does not run/, change: (m) => Object.assign(m, { status: null }) },
  {
    name: 'programs',
    verdict: 'fail',
    says: /guard away: it does not answer/,
    change: (m) => Object.assign(m.status ?? {}, { guard: { isReachable: false, problem: 'it does not answer' } }),
  },
  {
    name: 'faults',
    verdict: 'fail',
    says: /Output 1/,
    change: (m) => m.status?.faults.push({ code: 'output-stuck', text: 'Output 1 cannot be switched off.' }),
  },
  {
    name: 'enrolment',
    verdict: 'fail',
    says: /not linked: refused; no code waits/,
    change: (m) => Object.assign(m.status ?? {}, { link: { ...m.status?.link, isUp: false, problem: 'refused' } }),
  },
  { name: 'proof', verdict: 'warn', says: /never proven/, change: (m) => m.texts.delete('/data/proof.json') },
  {
    name: 'kernel',
    verdict: 'fail',
    says: /5\.4\.83/,
    change: (m) => Object.assign(m, { kernelRelease: '5.4.83-v7+' }),
  },
  { name: 'GPIO access', verdict: 'warn', says: /not for this user/, change: (m) => m.unusable.add('/dev/gpiochip0') },
  {
    name: 'board',
    verdict: 'fail',
    says: /line 20 by "sysfs"/,
    change: (m) => m.kernel.hold('pinctrl-bcm2835', 20, 'sysfs'),
  },
  {
    name: 'board',
    verdict: 'fail',
    says: /no GPIO chip|No GPIO chip/,
    change: (m) => m.kernel.unplug('pinctrl-bcm2835'),
  },
  { name: 'board', verdict: 'warn', says: /3 of 4 lines/, change: (m) => m.kernel.hold('pinctrl-bcm2835', 20, null) },
  {
    name: 'board',
    verdict: 'fail',
    says: /there is no \/dev\/ttyUSB7/,
    change: (m) => Object.assign(m.settings ?? {}, { board: { kind: 'lcus', port: '/dev/ttyUSB7', relays: 4 } }),
  },
  {
    name: 'board',
    verdict: 'warn',
    says: /12 boards at 9600 baud.*within 1\.3 s, not 1 s.*fewer boards on a port/,
    change: (m) => {
      const units = Array.from({ length: 12 }, (_, n) => ({ address: n + 1, relays: 4 }));
      Object.assign(m.settings ?? {}, { board: { kind: 'modbus', port: '/dev/ttyUSB7', units } });
      m.rights.set('/dev/ttyUSB7', { mode: 0o660, uid: 0 });
    },
  },
  {
    name: 'board',
    verdict: 'warn',
    says: /through \/sys: .*no pull is set.*a resistor towards "off" at each line/,
    change: (m) => Object.assign(m.settings ?? {}, { board: { kind: 'gpio-sysfs', lines: [26, 20, 21, 16] } }),
  },
  {
    name: 'power-on',
    verdict: 'warn',
    says: /BCM 26 may have the level.*4\.7 kΩ from BCM 26.*gpio=26=op,dh/,
    change: (m) => Object.assign(m.settings ?? {}, { outputs: outputsWith({ 0: { activeLevel: 'low' } }) }),
  },
  {
    name: 'power-on',
    verdict: 'warn',
    says: /BCM 4 may have the level/,
    change: (m) =>
      Object.assign(m.settings ?? {}, { board: { kind: 'gpio', chip: 'pinctrl-bcm2711', lines: [4, 20, 21, 16] } }),
  },
  {
    name: 'power-on',
    verdict: 'warn',
    says: /not known here.*may close at power-on.*by a resistor/,
    change: (m) =>
      Object.assign(m.settings ?? {}, { board: { kind: 'gpio', chip: 'mcp23017', lines: [26, 20, 21, 16] } }),
  },
  {
    name: 'power-on',
    verdict: 'warn',
    says: /relaygate-board\.txt has the firmware give BCM 20 a high level.*each power-on.*take gpio=20=op,dh out of that file/,
    change: (m) => m.texts.set('/boot/firmware/relaygate-board.txt', 'gpio=26=op,dl\ngpio=20=op,dh\n'),
  },
  {
    name: 'killed process',
    verdict: 'warn',
    says: /not tested.*--test-line/,
    change: (m) => Object.assign(m, { testLine: null }),
  },
  {
    name: 'killed process',
    verdict: 'fail',
    says: /one of the board's/,
    change: (m) => Object.assign(m, { testLine: 20 }),
  },
  {
    name: 'server',
    verdict: 'fail',
    says: /ECONNREFUSED/,
    change: (m) => Object.assign(m, { server: failing('ECONNREFUSED') }),
  },
  {
    name: 'server',
    verdict: 'fail',
    says: /authority is not trusted/,
    change: (m) => Object.assign(m, { server: failing('DEPTH_ZERO_SELF_SIGNED_CERT') }),
  },
  {
    name: 'server',
    verdict: 'warn',
    says: /1500 ms/,
    change: (m) => Object.assign(m, { server: async () => ({ ...seen, roundTripMs: 1_500 }) }),
  },
  {
    name: 'certificate',
    verdict: 'warn',
    says: /in 3 days/,
    change: (m) => Object.assign(m, { server: async () => ({ ...seen, certificateEndsMs: NOW_MS + 3.5 * DAY_MS }) }),
  },
  {
    name: 'clock',
    verdict: 'fail',
    says: /never set since the start.*timeServers/s,
    change: (m) => Object.assign(m, { isClockSet: false, server: failing('CERT_NOT_YET_VALID') }),
  },
  {
    name: 'server',
    verdict: 'fail',
    says: /not valid yet.*look at this device's clock/s,
    change: (m) => Object.assign(m, { isClockSet: false, server: failing('CERT_NOT_YET_VALID') }),
  },
  {
    name: 'clock',
    verdict: 'warn',
    says: /40 s behind the server/,
    change: (m) => Object.assign(m, { server: async () => ({ ...seen, serverEpochMs: NOW_MS + 40_000 }) }),
  },
  {
    name: 'clock',
    verdict: 'fail',
    says: /7200 s ahead of the server/,
    change: (m) => Object.assign(m, { server: async () => ({ ...seen, serverEpochMs: NOW_MS - 7_200_000 }) }),
  },
  {
    name: 'time service',
    verdict: 'warn',
    says: /no time service/,
    change: (m) => m.printed.set('timedatectl', 'no\n'),
  },
  {
    name: 'disk',
    verdict: 'fail',
    says: /5 MiB free/,
    change: (m) => Object.assign(m.space, { freeBytes: 5.5 * 1_048_576 }),
  },
  {
    name: 'disk',
    verdict: 'warn',
    says: /50 MiB free/,
    change: (m) => Object.assign(m.space, { freeBytes: 50 * 1_048_576 }),
  },
  { name: 'disk', verdict: 'fail', says: /MiB free/, change: (m) => Object.assign(m.space, { freeFiles: 3 }) },
  {
    name: 'disk',
    verdict: 'fail',
    says: /\/data is mounted read-only/,
    change: (m) => m.texts.set('/proc/mounts', '/dev/root / ext4 rw 0 0\n/dev/sda1 /data ext4 ro,noatime 0 0\n'),
  },
  {
    name: 'file system',
    verdict: 'fail',
    says: /mmcblk0p2/,
    change: (m) => m.texts.set('/sys/fs/ext4/mmcblk0p2/errors_count', '4\n'),
  },
  {
    name: 'file system',
    verdict: 'warn',
    says: /1 lines.*I\/O error/,
    change: (m) => m.printed.set('dmesg', '[ 9.1] blk_update_request: I/O error, dev mmcblk0\n'),
  },
  {
    name: 'card',
    verdict: 'warn',
    says: /90 %/,
    change: (m) => m.texts.set('/sys/block/mmcblk0/device/life_time', '0x02 0x09\n'),
  },
  {
    name: 'card',
    verdict: 'fail',
    says: /reserve/,
    change: (m) => m.texts.set('/sys/block/mmcblk0/device/life_time', '0x0b 0x01\n'),
  },
  {
    name: 'supply',
    verdict: 'fail',
    says: /now/,
    change: (m) => m.texts.set(THROTTLED, '50005\n'),
  },
  {
    name: 'supply',
    verdict: 'warn',
    says: /since the last boot/,
    change: (m) => {
      m.texts.delete(THROTTLED);
      m.printed.set('vcgencmd', 'throttled=0x50000\n');
    },
  },
  {
    name: 'supply',
    verdict: 'fail',
    says: /now/,
    change: (m) => {
      m.texts.set('/sys/class/hwmon/hwmon1/name', 'rpi_volt\n');
      m.texts.set('/sys/class/hwmon/hwmon1/in0_lcrit_alarm', '1\n');
    },
  },
  {
    name: 'supply',
    verdict: 'warn',
    says: /this kernel does not tell.*lightning bolt/,
    change: (m) => m.texts.delete(THROTTLED),
  },
  {
    name: 'supply',
    verdict: 'warn',
    says: /not seen from here.*sudo/,
    change: (m) => {
      m.texts.delete(THROTTLED);
      m.rights.set('/dev/vcio', { mode: 0o660, uid: 0 });
    },
  },
  {
    name: 'supply',
    verdict: 'warn',
    says: /does not measure its supply/,
    change: (m) => m.texts.set('/proc/device-tree/model', 'Raspberry Pi Zero 2 W Rev 1.0\0'),
  },
  { name: 'watchdog', verdict: 'warn', says: /does not feed/, change: (m) => m.printed.set('systemctl', '0\n') },
  {
    name: 'secrets',
    verdict: 'fail',
    says: /identity\.json.*chmod 600/,
    change: (m) => m.rights.set('/data/identity.json', { mode: 0o644, uid: 900 }),
  },
  {
    name: 'secrets',
    verdict: 'warn',
    says: /owner/,
    change: (m) => m.rights.set('/data/enrolment-code', { mode: 0o600, uid: 0 }),
  },
  {
    name: 'permissions',
    verdict: 'fail',
    says: /guard\.sock/,
    change: (m) => m.rights.set('/run/rg/guard.sock', { mode: 0o666, uid: 901 }),
  },
];

describe('a device with one thing wrong', () => {
  test.each(ILLNESSES)('$name, $verdict: $says', async ({ name, verdict, says, change }) => {
    const finding = await found(name, change);
    expect(finding?.verdict).toBe(verdict);
    expect(`${finding?.found} ${finding?.means} ${finding?.cure}`).toMatch(says);
  });
});

describe('a supply', () => {
  test('that the kernel does not report has a code of its own for programs', async () => {
    const finding = await found('supply', (m) => m.texts.delete(THROTTLED));
    expect(finding).toMatchObject({ verdict: 'warn', code: 'supply-not-reported' });
  });

  test('that only the hardware monitor tells of is well now, and no more is said', async () => {
    const finding = await found('supply', (m) => {
      m.texts.delete(THROTTLED);
      m.texts.set('/sys/class/hwmon/hwmon1/name', 'rpi_volt\n');
      m.texts.set('/sys/class/hwmon/hwmon1/in0_lcrit_alarm', '0\n');
    });
    expect(finding).toMatchObject({ verdict: 'ok', found: 'no under-voltage now' });
  });
});

describe('any machine', () => {
  test('that is no Raspberry Pi and has nothing is told so, and nothing is thrown', async () => {
    const machine = new PlayedMachine();
    for (const things of [machine.texts, machine.printed, machine.rights]) things.clear();
    machine.settings = null;
    machine.status = null;
    const findings = await findingsOf(machine);
    expect(findings.get('supply')).toMatchObject({
      verdict: 'ok',
      found: expect.stringContaining('not a Raspberry Pi'),
    });
    expect([...findings.values()].filter(({ verdict, found: words }) => verdict !== 'ok' && words === '')).toEqual([]);
  });

  test('that does not answer is waited for 8 s, while all else is looked at', async () => {
    const machine = new PlayedMachine();
    machine.server = () => new Promise(() => {});
    const findings = findingsOf(machine);
    await machine.clock.advance(8_000);
    expect((await findings).get('server')).toMatchObject({ verdict: 'warn', found: 'no answer within 8 s' });
    expect((await findings).get('disk')?.verdict).toBe('ok');
  });

  test('whose files cannot be read is a warning that says so', async () => {
    const machine = new PlayedMachine();
    machine.rights.get = () => {
      throw new Error('EACCES: permission denied');
    };
    expect((await findingsOf(machine)).get('secrets')).toMatchObject({
      verdict: 'warn',
      found: expect.stringContaining('EACCES'),
    });
  });
});
