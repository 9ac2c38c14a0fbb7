/** Pins watched while something is done, and what the edges must be. */
import { expect } from '@jest/globals';
import { eventually } from '../../support/installation';
import type { EmulatedPi } from '../machine/emulated-pi';
import { type Drive, type PinEdge, widthOf } from '../machine/pins';
import { FAN, HEATING, PUMP } from './lines';
import { report } from './report';

/** Programs under emulation start in seconds, on a busy machine in ten times as many. */
export const PATIENCE_MS = 60_000;
/** What emulation may cost; for how long nobody looked, because the machine under it was busy, is added. */
const EARLY_MS = 1;
const LATE_MS = 50;

export interface Watched {
  edges: readonly PinEdge[];
  longestGapMs: number;
}

/** Watches pins until the work is done and there are at least so many edges. */
export async function watched(
  pi: EmulatedPi,
  pins: readonly number[],
  edgeCount: number,
  work: () => Promise<void>,
): Promise<Watched> {
  const watch = pi.pins.watch(...pins);
  try {
    await work();
    await watch.until(edgeCount, PATIENCE_MS);
  } finally {
    await watch.stop();
  }
  return { edges: await watch.stop(), longestGapMs: watch.longestGapMs };
}

export function drivesOf({ edges }: Watched): { pin: number; drive: Drive }[] {
  return edges.map(({ pin, drive }) => ({ pin, drive }));
}

/** I4, as far as an emulated machine can show it. */
export function expectWidth({ edges, longestGapMs }: Watched, pulseMs: number, what: string): void {
  const [first, second] = edges;
  if (first === undefined || second === undefined) throw new Error('no pulse');
  const { minMs, maxMs } = widthOf(first, second);
  const measured = `${minMs.toFixed(1)} to ${maxMs.toFixed(1)} ms`;
  report(`${what}: ${pulseMs} ms were ${measured} (longest time between two looks: ${longestGapMs.toFixed(1)} ms)`);
  expect(maxMs).toBeGreaterThanOrEqual(pulseMs - EARLY_MS - longestGapMs);
  expect(minMs).toBeLessThanOrEqual(pulseMs + LATE_MS + longestGapMs);
}

/** Guard and agent run, also after a test that has failed half way, and every on-off output is off. */
export async function settle(pi: EmulatedPi): Promise<void> {
  await pi.startAll();
  for (const numOutput of [HEATING, FAN, PUMP]) await untilOff(pi, numOutput);
}

/** The agent has found the guard again, and commands reach the output, which is off. */
export function untilOff(pi: EmulatedPi, numOutput = HEATING): Promise<void> {
  return eventually(async () => (await pi.companion.set(numOutput, 0)).status === 200, PATIENCE_MS);
}
