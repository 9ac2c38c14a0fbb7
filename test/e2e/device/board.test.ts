/** The choice of a board, by relayctl, beside guard and agent as they are started. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { relayctl, run } from '../../support/device/device';
import { deviceForEach } from '../../support/device/test-device';

const device = deviceForEach();

const settings = () => JSON.parse(readFileSync(join(device.dataDir, 'settings.json'), 'utf8'));

test('board use writes the board with its polarity, and says to restart', async () => {
  const used = await relayctl(
    device.runDir,
    'board',
    'use',
    'waveshare-rpi-relay-board-b',
    '--accept-boot-level',
    '--yes',
  );
  expect(used.stderr).toBe('');
  expect(used.code).toBe(0);
  for (const line of [
    /^output 3: kept$/m,
    /^output 4: new$/m,
    /^ +gpio=13=op,dh$/m,
    /systemctl restart relaygate-guard/,
  ])
    expect(used.stdout).toMatch(line);
  expect(settings()).toMatchObject({
    board: { kind: 'gpio', profile: 'waveshare-rpi-relay-board-b', lines: [5, 6, 13, 16, 19, 20, 21, 26] },
    outputs: [{ name: 'Output 0', activeLevel: 'low' }, {}, {}, {}, { name: 'CH5', mode: 'impulse' }, {}, {}, {}],
  });
  expect((await device.relayctl('status')).stdout).toMatch(/restart\s+relaygate-guard/);
  const ran = await device.relayctl('output', '2', '--pulse-ms', '120');
  expect(ran.code).toBe(5);
});

test('board use says that no pull is set through /sys', async () => {
  const used = await device.relayctl('board', 'use', 'generic-active-high', '--sysfs', '--yes');
  expect(used.stdout).toMatch(/^Through \/sys no pull is set: .*\n.*a resistor towards "off"/m);
  const other = await device.relayctl('board', 'use', 'generic-active-high', '--yes');
  expect(other.stdout).not.toMatch(/pull is set/);
});

test("board use asks for nothing more where the chip that is named is the header's", async () => {
  const args = ['board', 'use', 'generic-active-high', '--chip', 'pinctrl-bcm2711', '--yes', '--json'];
  const used = await device.relayctl(...args);
  expect(JSON.parse(used.stdout)).toMatchObject({ after: { chip: 'pinctrl-bcm2711' } });
});

test('a guard that finds no such board says so, and an agent reads the settings all the same', async () => {
  const args = ['board', 'use', 'generic-active-high', '--chip', 'no-such-chip', '--yes'];
  const refused = await device.relayctl(...args);
  expect(refused).toMatchObject({ code: 5, stdout: '' });
  expect(refused.stderr).toMatch(
    /refused: Relays may close: nobody knows what the lines of chip "no-such-chip" do .*--accept-boot-level/,
  );
  expect(settings().board.kind).toBe('simulated');
  const used = await device.relayctl(...args, '--accept-boot-level', '--json');
  expect(JSON.parse(used.stdout)).toMatchObject({ after: { chip: 'no-such-chip' }, mustRestart: true, cures: [] });
  await device.stopPrograms();
  const again = await run('relaygate-guard', ['--data', device.dataDir, '--run', device.runDir]);
  expect(again.code).toBe(1);
  expect(again.stderr).toMatch(/^relaygate-guard: board-unusable: .*(no-such-chip|no \/dev\/gpiochip)/);
  await device.startAgent();
  expect((await device.relayctl('status')).stdout).toMatch(/^guard +away/m);
});
