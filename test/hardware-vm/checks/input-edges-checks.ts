/** Inputs that are watched by the device's own drivers, on a real kernel: each edge once, with its time. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { HELD_UP_MS } from '@relaygate/device-agent/relay/sysfs-board';
import type { Level } from '@relaygate/shared/device';
import { ROOT } from '../../support/processes/program';
import type { EmulatedDevice } from '../machine/emulated-device';
import type { GpioKind } from './lines';
import { report } from './report';

const PROGRAM = join(ROOT, 'test/hardware-vm/checks/watch-inputs.cjs');
/** Of no output and no input of the guard. */
const LINE = 31;
const INPUTS = [28, 29, 30];
const OTHER_EDGES = 30;
/** Of which the kernel keeps 256, so that a stall of the machine costs the oldest. */
const FEWEST_TOLD = 256;
const HEAP_BYTES = 1024 * 1024;
/** Two readings of one clock. */
const ROUNDING_MS = 0.01;

interface Watched {
  early: number;
  calm: {
    level: Level;
    fromMs: number;
    toMs: number;
    read: Level;
    told: { input: number; level: Level; atMs: number; toldMs: number }[];
  }[];
  flaps: { count: number; ms: number; told: number; last: Level };
  others: Level[];
  failedOrders: number;
  longestOrderMs: number;
  heapGrowth: number;
  late: number;
}

export function describeInputEdges(device: () => EmulatedDevice): void {
  test.each<[GpioKind, string]>([
    ['gpio', "kernel's time"],
    ['gpio-sysfs', 'time of its handling'],
  ])('%s: edges of inputs are told once, with the %s; one that flaps costs no other an edge', async (kind, time) => {
    await device().shell.write('/run/watch-inputs.cjs', readFileSync(PROGRAM, 'utf8'));
    const args = [kind, device().chip, LINE, ...INPUTS].join(' ');
    const seen: Watched = JSON.parse(await device().shell.run(`node --expose-gc /run/watch-inputs.cjs ${args}`));
    const { flaps } = seen;
    const delays = seen.calm.flatMap(({ told }) => told.map(({ atMs, toldMs }) => toldMs - atMs)).sort((a, b) => a - b);
    const afterMs = seen.calm
      .flatMap(({ fromMs, told }) => told.map(({ atMs }) => atMs - fromMs))
      .sort((a, b) => a - b);
    const medianAndMost = (times: readonly number[]): string =>
      `median ${times[times.length >> 1]?.toFixed(2)}, most ${times.at(-1)?.toFixed(2)} ms`;
    report(
      `${kind}: ${time} after the level is written ${medianAndMost(afterMs)}; told ${medianAndMost(delays)} later`,
    );
    report(
      `${kind}: one that flaps: ${flaps.told} of ${flaps.count} edges told in ${flaps.ms.toFixed(0)} ms; longest order ` +
        `${seen.longestOrderMs.toFixed(2)} ms; heap ${(seen.heapGrowth / 1024).toFixed(0)} KiB more`,
    );

    expect(seen.early).toBe(0);
    for (const { level, fromMs, read, told } of seen.calm) {
      expect(told).toEqual([{ input: 1, level, atMs: expect.any(Number), toldMs: expect.any(Number) }]);
      const [edge] = told;
      const { atMs = 0, toldMs = 0 } = edge ?? {};
      // Of a process that was held up, sysfs has the time when it was alive last: no edge is ever taken for younger than it is.
      const wasHeldUp = kind === 'gpio-sysfs' && toldMs - atMs > HELD_UP_MS;
      if (!wasHeldUp) expect(atMs).toBeGreaterThanOrEqual(fromMs - ROUNDING_MS);
      expect(atMs).toBeLessThanOrEqual(toldMs);
      expect(read).toBe(level);
    }
    expect(seen.others).toEqual(Array.from({ length: OTHER_EDGES }, (_, n) => (n % 2 === 0 ? 'high' : 'low')));
    expect(seen.failedOrders).toBe(0);
    expect(flaps.told).toBeGreaterThanOrEqual(Math.min(FEWEST_TOLD, flaps.count));
    expect(flaps.told).toBeLessThanOrEqual(flaps.count);
    expect(flaps.last).toBe('high');
    expect(seen.heapGrowth).toBeLessThan(HEAP_BYTES);
    expect(seen.late).toBe(0);
  });
}
