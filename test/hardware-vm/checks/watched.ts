/** Lines watched while something is done, and what must be true of their edges. */
import { expect } from '@jest/globals';
import type { Window } from '../../support/time/stall-record';
import { expectInTime } from '../../support/time/timed';
import { eventually } from '../../support/time/waiting';
import type { EmulatedDevice } from '../machine/emulated-device';
import { changesOf, type LineOrder, type Traced } from '../machine/line-trace';
import { type Drive, type PinEdge, widthOf } from '../machine/pins';
import { BEACON, FAN, HEATING, LAMP, lineOf, PUMP, SIREN } from './lines';
import { report } from './report';

/** Programs under emulation start in seconds, on a busy machine in ten times as many. */
const PATIENCE_MS = 2 * 60_000;
/** Two readings of one clock, rounded to microseconds. */
const ROUNDING_MS = 0.05;
/** What emulation may cost on a machine that has nothing else to do. */
const LATE_MS = 50;

/** A look each so often while pulses are measured. */
const CLOSELY_MS = 2;

/** What the kernel told the chip, and what this machine took from the emulated one within a window of its clock. */
export interface Seen extends Traced {
  lostMs(window: Window): number;
}

export interface Watched extends Seen {
  /** Seen from outside. */
  edges: readonly PinEdge[];
  longestGapMs: number;
}

export interface Watching {
  pins: readonly number[];
  /** Not over before there are so many edges. */
  edges: number;
  closely?: boolean;
}

/** What the kernel tells its chip while something is done. */
export async function traced(device: EmulatedDevice, work: () => Promise<void>): Promise<Seen> {
  await device.traceGuard();
  await device.trace.forget();
  await work();
  return { ...(await device.trace.read()), lostMs: (window) => device.lostMs(window) };
}

/** The same, and the pins of a Raspberry Pi from outside. */
export async function watched(
  pi: EmulatedDevice,
  { pins, edges, closely }: Watching,
  work: () => Promise<void>,
): Promise<Watched> {
  const watch = pi.pins.watch(pins, closely ? CLOSELY_MS : undefined);
  try {
    await pi.trace.forget();
    await work();
    await watch.until(edges, PATIENCE_MS);
    const lostMs = (window: Window): number => pi.lostMs(window);
    return { edges: await watch.stop(), longestGapMs: watch.longestGapMs, lostMs, ...(await pi.trace.read()) };
  } finally {
    await watch.stop();
  }
}

export function drivesOf(moves: readonly { pin: number; drive: Drive }[]): { pin: number; drive: Drive }[] {
  return moves.map(({ pin, drive }) => ({ pin, drive }));
}

/** All changes of one output's line. */
export function changesAt({ orders }: Traced, pin: number): LineOrder[] {
  return changesOf(orders).filter((order) => order.pin === pin);
}

/**
 * One order follows another after `ms`, counted by the guard from a moment between its event loop's last wake before the
 * first order and that order: never sooner, whatever held the first one up, and not much later.
 */
export function expectAfter(seen: Seen, [first, second]: readonly (LineOrder | undefined)[], ms: number): void {
  if (!first || !second) throw new Error(`two orders were to be seen: ${JSON.stringify(seen.orders)}`);
  const wokeMs = seen.wakesMs.findLast((atMs) => atMs <= first.atMs);
  if (wokeMs === undefined) throw new Error('the trace does not tell when the guard woke up');
  expect(second.atMs - wokeMs).toBeGreaterThanOrEqual(ms - ROUNDING_MS);
  const tookMs = second.atMs - first.atMs;
  const lostMs = (): number => seen.lostMs({ fromMs: first.atMs + ms, toMs: second.atMs });
  expectInTime('pulse', tookMs - ms - LATE_MS, lostMs, `${ms} ms were ${tookMs.toFixed(1)} ms`);
}

/** I4, as far as an emulated machine can show it: the kernel had the orders in time. */
export function expectPulse(seen: Seen, numOutput: number, what: string): readonly [LineOrder, LineOrder] {
  const { pin, on, off, pulseMs } = lineOf(numOutput);
  const changes = changesAt(seen, pin);
  expect(drivesOf(changes)).toEqual([on, off].map((drive) => ({ pin, drive })));
  const [begin, end] = changes;
  if (!begin || !end) throw new Error('no pulse');
  const wokeMs = seen.wakesMs.findLast((atMs) => atMs <= begin.atMs) ?? Number.NaN;
  const [kernelMs, orderMs] = [end.atMs - begin.atMs, begin.atMs - wokeMs].map((ms) => ms.toFixed(2));
  report(`${what}: ${pulseMs} ms were ${kernelMs} ms; the first order took up to ${orderMs} ms`);
  expectAfter(seen, changes, pulseMs);
  return [begin, end];
}

/** The pins did what the kernel told the chip, and nothing else moved. */
export function expectSeenOutside(
  { edges, longestGapMs }: Watched,
  [begin, end]: readonly [LineOrder, LineOrder],
): void {
  expect(drivesOf(edges)).toEqual(drivesOf([begin, end]));
  const [first, second] = edges;
  if (!first || !second) throw new Error('no pulse');
  const { minMs, maxMs } = widthOf(first, second);
  expect(minMs - longestGapMs).toBeLessThanOrEqual(end.atMs - begin.atMs);
  expect(maxMs + longestGapMs).toBeGreaterThanOrEqual(end.atMs - begin.atMs);
}

/** Guard and agent run, also after a test that has failed half way, and every output that holds its state is off. */
export async function settle(device: EmulatedDevice): Promise<void> {
  await device.startAll();
  const { outputs } = await device.companion.state();
  for (const numOutput of [HEATING, FAN, PUMP, SIREN, BEACON])
    if (outputs[numOutput]?.state !== 0) await untilOff(device, numOutput);
}

/** The agent has found the guard again, and commands reach the output, which is off. */
export function untilOff(device: EmulatedDevice, numOutput = LAMP): Promise<void> {
  return eventually(async () => (await device.companion.set(numOutput, 0)).status === 200, PATIENCE_MS);
}
