/** Policies of outputs as a technician sets them, over real processes: what shows at the board. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, test } from '@jest/globals';
import type { OutputSettings } from '@relaygate/shared/device';
import { edgeLogOf, onlyPulse, outputsWith, waitForEdges } from '../../support/device/device';
import { TestDevice } from '../../support/device/test-device';
import { repeat } from '../../support/time/excuse';
import { expectPulse } from '../../support/time/timed';

const device = new TestDevice();
afterEach(() => device.stop());

async function start(policies: Readonly<Record<number, Partial<OutputSettings>>>): Promise<void> {
  await device.start({ outputs: outputsWith(policies) });
}

test('an output with maxOnMs goes off at its time, though the agent was killed meanwhile (I4)', () =>
  repeat(
    async () => {
      await start({ 0: { maxOnMs: 2_000 } });
      expect((await device.relayctl('set', '0', 'on')).code).toBe(0);
      await device.agent.kill('SIGKILL');
      const edges = await waitForEdges(edgeLogOf(device.dataDir), (all) => all.length === 2);
      expectPulse(onlyPulse(edges, 0), 2_000);
    },
    () => device.stop(),
  ));

test('two outputs of an interlock are never on together: break, wait, make (I2)', async () => {
  await start({ 0: { interlock: 'motor', interlockDelayMs: 400 }, 1: { interlock: 'motor', interlockDelayMs: 200 } });
  // The guard's own first orders count.
  for (const n of ['0', '1', '0']) expect((await device.relayctl('set', n, 'on')).code).toBe(0);
  const edges = device.edges();
  expect(edges.map(({ output, level }) => [output, level])).toEqual([
    [0, 1],
    [0, 0],
    [1, 1],
    [1, 0],
    [0, 1],
  ]);
  expect((await device.relayctl('status')).stdout).toMatch(/^1 +off \(by interlock\)/m);
  for (const [off, on] of [
    [edges[1], edges[2]],
    [edges[3], edges[4]],
  ])
    expect((on?.atMs ?? 0) - (off?.atMs ?? 0)).toBeGreaterThanOrEqual(400);
});

test('an input that does not follow makes a command unproven, and one that does ends that (I3)', async () => {
  await start({ 0: { feedbackInput: 1, feedbackMs: 300 } });
  const inputs = join(device.dataDir, 'inputs.json');
  writeFileSync(inputs, JSON.stringify(['low', 'low']));
  const refused = await device.relayctl('set', '0', 'on');
  expect(refused.code).toBe(6);
  expect(refused.stderr).toContain('relayctl: unproven: Output 0 is as commanded');
  expect(refused.stderr).toContain('input 1 does not show it');
  const shown = await device.relayctl('status');
  expect(shown.stdout).toContain('on (unproven)');
  expect(shown.stdout).toContain('its feedback input does not show it');
  writeFileSync(inputs, JSON.stringify(['low', { follows: 0 }]));
  expect((await device.relayctl('set', '0', 'on')).code).toBe(0);
  expect((await device.relayctl('status')).stdout).not.toContain('on (unproven)');
});
