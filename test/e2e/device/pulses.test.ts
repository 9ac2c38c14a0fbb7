/** Pulses of the real processes, measured from the edge log (I4). */
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { edgeLogOf, onlyPulse, outputsWith, pulsesOf, waitForEdges } from '../../support/device/device';
import { TestDevice } from '../../support/device/test-device';
import { repeat } from '../../support/time/excuse';
import { expectPulse } from '../../support/time/timed';

const device = new TestDevice();

async function start(): Promise<void> {
  const lengths = { 0: 50, 1: 500, 2: 5_000 };
  const outputs = outputsWith(
    Object.fromEntries(Object.entries(lengths).map(([n, pulseMs]) => [n, { mode: 'impulse' as const, pulseMs }])),
  );
  await device.start({ outputs });
}
const stop = (): Promise<void> => device.stop();
beforeEach(start);
afterEach(stop);
const startAnew = (): Promise<void> => stop().then(start);

const PULSES = [
  [0, 50],
  [1, 500],
  [2, 5_000],
] as const;

/** In this order. */
async function startPulses(pulses: readonly (typeof PULSES)[number][]): Promise<void> {
  for (const [output] of pulses) expect((await device.relayctl('pulse', String(output))).code).toBe(0);
}

function pulsesAreDone(): Promise<unknown> {
  return waitForEdges(edgeLogOf(device.dataDir), (edges) => PULSES.every(([n]) => pulsesOf(edges, n).length === 1));
}

function expectLengths(): void {
  const edges = device.edges();
  for (const [output, pulseMs] of PULSES) {
    expectPulse(onlyPulse(edges, output), pulseMs);
  }
}

describe('pulses of 50 ms, 500 ms and 5 s', () => {
  test('have their length beside a busy agent', () =>
    repeat(async () => {
      await startPulses(PULSES);
      let isDone = false;
      const done = pulsesAreDone().finally(() => {
        isDone = true;
      });
      // Technicians who look, change settings and move another output all the time.
      const ask = async (...args: string[]): Promise<void> =>
        expect((await device.relayctl(...args, '--json')).code).toBe(0);
      const asking = async (first: number): Promise<void> => {
        for (let n = first; !isDone; n += 2) {
          await ask('output', '3', '--pulse-ms', String(100 + n));
          await ask('set', '3', 'on');
          await ask('pulse', '3');
          await ask('status');
        }
      };
      await Promise.all([done, asking(0), asking(1)]);
      expectLengths();
    }, startAnew));

  test('have their length when the agent is stopped while they run', () =>
    repeat(async () => {
      await startPulses([...PULSES].reverse());
      device.agent.kill('SIGSTOP');
      await pulsesAreDone();
      device.agent.kill('SIGCONT');
      expectLengths();
    }, startAnew));
});
