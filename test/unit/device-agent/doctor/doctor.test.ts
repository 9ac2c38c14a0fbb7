/** The doctor's findings on machines in memory: a healthy one, and one that has a single thing wrong. */
import { describe, expect, test } from '@jest/globals';
import type { Finding } from '@relaygate/device-agent/agent/technician/local-messages/doctor';
import { examine } from '@relaygate/device-agent/doctor/doctor';
import { outputsWith } from '../../../support/device/device';
import { findingsOf, NOW_MS, PlayedMachine } from '../../../support/device/played-machine';

type Change = (machine: PlayedMachine) => unknown;

async function found(name: string, change: Change): Promise<Finding | undefined> {
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

function withBoard(board: object): Change {
  return (m) => Object.assign(m.settings ?? {}, { board });
}
function withServer(server: PlayedMachine['server']): Change {
  return (m) => Object.assign(m, { server });
}

const DAY_MS = 86_400_000;
const THROTTLED = '/sys/devices/platform/soc/soc:firmware/get_throttled';
const seen = { roundTripMs: 20, certificateEndsMs: NOW_MS + 90 * DAY_MS, serverEpochMs: NOW_MS, ownEpochMs: NOW_MS };
const ILLNESSES: [name: string, verdict: 'warn' | 'fail', says: RegExp, change: Change][] = [
  ['settings', 'fail', /missing/, (m) => Object.assign(m, { settings: null })],
  ['programs', 'fail', /does not run/, (m) => Object.assign(m, { status: null })],
  [
    'programs',
    'fail',
    /guard away: it does not answer/,
    (m) => Object.assign(m.status ?? {}, { guard: { isReachable: false, problem: 'it does not answer' } }),
  ],
  [
    'faults',
    'fail',
    /Output 1/,
    (m) => m.status?.faults.push({ code: 'output-stuck', text: 'Output 1 cannot be switched off.' }),
  ],
  [
    'enrolment',
    'fail',
    /not linked: refused; no code waits/,
    (m) => Object.assign(m.status ?? {}, { link: { ...m.status?.link, isUp: false, problem: 'refused' } }),
  ],
  ['proof', 'warn', /never proven/, (m) => m.texts.delete('/data/proof.json')],
  ['kernel', 'fail', /5\.4\.83/, (m) => Object.assign(m, { kernelRelease: '5.4.83-v7+' })],
  ['GPIO access', 'warn', /not for this user/, (m) => m.unusable.add('/dev/gpiochip0')],
  ['board', 'fail', /line 20 by "sysfs"/, (m) => m.kernel.hold('pinctrl-bcm2835', 20, 'sysfs')],
  ['board', 'fail', /no GPIO chip|No GPIO chip/, (m) => m.kernel.unplug('pinctrl-bcm2835')],
  ['board', 'warn', /3 of 4 lines/, (m) => m.kernel.hold('pinctrl-bcm2835', 20, null)],
  ['board', 'fail', /there is no \/dev\/ttyUSB7/, withBoard({ kind: 'lcus', port: '/dev/ttyUSB7', relays: 4 })],
  [
    'board',
    'warn',
    /12 boards at 9600 baud.*within 1\.3 s, not 1 s.*fewer boards on a port/,
    (m) => {
      const units = Array.from({ length: 12 }, (_, n) => ({ address: n + 1, relays: 4 }));
      Object.assign(m.settings ?? {}, { board: { kind: 'modbus', port: '/dev/ttyUSB7', units } });
      m.rights.set('/dev/ttyUSB7', { mode: 0o660, uid: 0 });
    },
  ],
  [
    'board',
    'warn',
    /through \/sys: .*no pull is set.*a resistor towards "off" at each line/,
    withBoard({ kind: 'gpio-sysfs', lines: [26, 20, 21, 16] }),
  ],
  [
    'power-on',
    'warn',
    /BCM 26 may have the level.*4\.7 kΩ from BCM 26.*gpio=26=op,dh/,
    (m) => Object.assign(m.settings ?? {}, { outputs: outputsWith({ 0: { activeLevel: 'low' } }) }),
  ],
  [
    'power-on',
    'warn',
    /BCM 4 may have the level/,
    withBoard({ kind: 'gpio', chip: 'pinctrl-bcm2711', lines: [4, 20, 21, 16] }),
  ],
  [
    'power-on',
    'warn',
    /not known here.*may close at power-on.*by a resistor/,
    withBoard({ kind: 'gpio', chip: 'mcp23017', lines: [26, 20, 21, 16] }),
  ],
  [
    'power-on',
    'warn',
    /relaygate-board\.txt has the firmware give BCM 20 a high level.*each power-on.*take gpio=20=op,dh out of that file/,
    (m) => m.texts.set('/boot/firmware/relaygate-board.txt', 'gpio=26=op,dl\ngpio=20=op,dh\n'),
  ],
  [
    'power-on',
    'warn',
    /config\.txt does not include relaygate-board\.txt.*BCM 26 may close at power-on.*raspi-firmware-custom/,
    (m) => {
      Object.assign(m.settings ?? {}, { outputs: outputsWith({ 0: { activeLevel: 'low' } }) });
      m.texts.set('/boot/firmware/config.txt', 'arm_64bit=1\n#include relaygate-board.txt\n');
    },
  ],
  [
    'power-on',
    'warn',
    /BCM 26 may have the level/,
    (m) => {
      Object.assign(m.settings ?? {}, { outputs: outputsWith({ 0: { activeLevel: 'low' } }) });
      m.texts.set('/boot/firmware/config.txt', '[all]\r\ninclude relaygate-board.txt\r\n');
    },
  ],
  ['killed process', 'warn', /not tested.*--test-line/, (m) => Object.assign(m, { testLine: null })],
  ['killed process', 'fail', /one of the board's/, (m) => Object.assign(m, { testLine: 20 })],
  ['server', 'fail', /ECONNREFUSED/, withServer(failing('ECONNREFUSED'))],
  ['server', 'fail', /authority is not trusted/, withServer(failing('DEPTH_ZERO_SELF_SIGNED_CERT'))],
  ['server', 'warn', /1500 ms/, withServer(async () => ({ ...seen, roundTripMs: 1_500 }))],
  ['certificate', 'warn', /in 3 days/, withServer(async () => ({ ...seen, certificateEndsMs: NOW_MS + 3.5 * DAY_MS }))],
  [
    'clock',
    'fail',
    /never set since the start.*timeServers/s,
    (m) => Object.assign(m, { isClockSet: false, server: failing('CERT_NOT_YET_VALID') }),
  ],
  [
    'server',
    'fail',
    /not valid yet.*look at this device's clock/s,
    (m) => Object.assign(m, { isClockSet: false, server: failing('CERT_NOT_YET_VALID') }),
  ],
  ['clock', 'warn', /40 s behind the server/, withServer(async () => ({ ...seen, serverEpochMs: NOW_MS + 40_000 }))],
  [
    'clock',
    'fail',
    /7200 s ahead of the server/,
    withServer(async () => ({ ...seen, serverEpochMs: NOW_MS - 7_200_000 })),
  ],
  ['time service', 'warn', /no time service/, (m) => m.printed.set('timedatectl', 'no\n')],
  ['disk', 'fail', /5 MiB free/, (m) => Object.assign(m.space, { freeBytes: 5.5 * 1_048_576 })],
  ['disk', 'warn', /50 MiB free/, (m) => Object.assign(m.space, { freeBytes: 50 * 1_048_576 })],
  ['disk', 'fail', /MiB free/, (m) => Object.assign(m.space, { freeFiles: 3 })],
  [
    'disk',
    'fail',
    /\/data is mounted read-only/,
    (m) => m.texts.set('/proc/mounts', '/dev/root / ext4 rw 0 0\n/dev/sda1 /data ext4 ro,noatime 0 0\n'),
  ],
  ['file system', 'fail', /mmcblk0p2/, (m) => m.texts.set('/sys/fs/ext4/mmcblk0p2/errors_count', '4\n')],
  [
    'file system',
    'warn',
    /1 lines.*I\/O error/,
    (m) => m.printed.set('dmesg', '[ 9.1] blk_update_request: I/O error, dev mmcblk0\n'),
  ],
  ['card', 'warn', /90 %/, (m) => m.texts.set('/sys/block/mmcblk0/device/life_time', '0x02 0x09\n')],
  ['card', 'fail', /reserve/, (m) => m.texts.set('/sys/block/mmcblk0/device/life_time', '0x0b 0x01\n')],
  ['supply', 'fail', /now/, (m) => m.texts.set(THROTTLED, '50005\n')],
  [
    'supply',
    'warn',
    /since the last boot/,
    (m) => {
      m.texts.delete(THROTTLED);
      m.printed.set('vcgencmd', 'throttled=0x50000\n');
    },
  ],
  [
    'supply',
    'fail',
    /now/,
    (m) => {
      m.texts.set('/sys/class/hwmon/hwmon1/name', 'rpi_volt\n');
      m.texts.set('/sys/class/hwmon/hwmon1/in0_lcrit_alarm', '1\n');
    },
  ],
  ['supply', 'warn', /this kernel does not tell.*lightning bolt/, (m) => m.texts.delete(THROTTLED)],
  [
    'supply',
    'warn',
    /not seen from here.*sudo/,
    (m) => {
      m.texts.delete(THROTTLED);
      m.rights.set('/dev/vcio', { mode: 0o660, uid: 0 });
    },
  ],
  [
    'supply',
    'warn',
    /does not measure its supply/,
    (m) => m.texts.set('/proc/device-tree/model', 'Raspberry Pi Zero 2 W Rev 1.0\0'),
  ],
  ['watchdog', 'warn', /does not feed/, (m) => m.printed.set('systemctl', '0\n')],
  [
    'secrets',
    'fail',
    /identity\.json.*chmod 600/,
    (m) => m.rights.set('/data/identity.json', { mode: 0o644, uid: 900 }),
  ],
  ['secrets', 'warn', /chown 900/, (m) => m.rights.set('/data/enrolment-code', { mode: 0o600, uid: 0 })],
  [
    'secrets',
    'warn',
    /enrolment-code does not belong.*chown relaygate-agent/,
    (m) => {
      m.rights.set('/data', { mode: 0o2770, uid: 0 });
      m.printed.set('id', '900\n');
      m.rights.set('/data/enrolment-code', { mode: 0o600, uid: 0 });
    },
  ],
  ['permissions', 'fail', /guard\.sock/, (m) => m.rights.set('/run/rg/guard.sock', { mode: 0o666, uid: 901 })],
];

describe('a device with one thing wrong', () => {
  test.each(ILLNESSES)('%s, %s: %s', async (name, verdict, says, change) => {
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
