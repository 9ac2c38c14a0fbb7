/** Pins watched while something is done, and what the edges must be. */
import { expect } from '@jest/globals';
import { eventually } from '../../support/eventually';
import type { EmulatedPi } from '../machine/emulated-pi';
import type { LineOrder } from '../machine/line-trace';
import { type Drive, type PinEdge, widthOf } from '../machine/pins';
import { FAN, HEATING, lineOf, PUMP } from './lines';
import { report } from './report';

/** Programs under emulation start in seconds, on a busy machine in ten times as many. */
const PATIENCE_MS = 60_000;
/** What emulation may cost; for how long nobody looked, because the machine under it was busy, is added. */
const EARLY_MS = 1;
const LATE_MS = 50;

/** A look each so often while pulses are measured. */
const CLOSELY_MS = 2;

export interface Watched {
  /** Seen from outside. */
  edges: readonly PinEdge[];
  longestGapMs: number;
  /** What the kernel told the chip. */
  orders: readonly LineOrder[];
}

export interface Watching {
  pins: readonly number[];
  /** Not over before there are so many edges. */
  edges: number;
  closely?: boolean;
}

export async function watched(
  pi: EmulatedPi,
  { pins, edges, closely }: Watching,
  work: () => Promise<void>,
): Promise<Watched> {
  await pi.trace.forget();
  const watch = pi.pins.watch(pins, closely ? CLOSELY_MS : undefined);
  try {
    await work();
    await watch.until(edges, PATIENCE_MS);
  } finally {
    await watch.stop();
  }
  return { edges: await watch.stop(), longestGapMs: watch.longestGapMs, orders: await pi.trace.orders() };
}

export function drivesOf(moves: readonly { pin: number; drive: Drive }[]): { pin: number; drive: Drive }[] {
  return moves.map(({ pin, drive }) => ({ pin, drive }));
}

/** I4, as far as an emulated machine can show it. */
export function expectPulse({ edges, orders, longestGapMs }: Watched, numOutput: number, what: string): void {
  const { pin, on, off, pulseMs } = lineOf(numOutput);
  const pulse = [on, off].map((drive) => ({ pin, drive }));
  expect(drivesOf(edges)).toEqual(pulse);
  expect(drivesOf(orders)).toEqual(pulse);
  const [first, second] = edges;
  const [begin, end] = orders;
  if (!first || !second || !begin || !end) throw new Error('no pulse');
  const { minMs, maxMs } = widthOf(first, second);
  const kernelMs = end.atMs - begin.atMs;
  const seen = `${minMs.toFixed(1)} to ${maxMs.toFixed(1)} ms seen from outside`;
  const gap = `longest time between two looks: ${longestGapMs.toFixed(1)} ms`;
  report(`${what}: ${pulseMs} ms were ${kernelMs.toFixed(2)} ms in the kernel, ${seen} (${gap})`);
  expect(kernelMs).toBeGreaterThanOrEqual(pulseMs - EARLY_MS - longestGapMs);
  expect(kernelMs).toBeLessThanOrEqual(pulseMs + LATE_MS + longestGapMs);
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
