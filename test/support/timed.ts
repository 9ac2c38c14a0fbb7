/** Deadlines as a test sees them: by its own watch, less what the machine itself was late. */
import { expect } from '@jest/globals';
import { RESPONSE_DEADLINE_MS } from '@relaygate/shared';
import { monotonicNowMs } from '@relaygate/shared/system';
import { Lateness } from './lateness';
import { ANSWER_SLACK_MS, PULSE_EARLY_MS, PULSE_LATE_MS, TIMER_EARLY_MS } from './tolerances';

const machine = new Lateness({ readsLate: false });
machine.watch(process.pid);

export interface Timed<T> {
  readonly answer: T;
  readonly tookMs: number;
  /** So much of it may be the machine's doing, never what this process did itself. */
  readonly excusedMs: number;
}

export async function timed<T>(running: Promise<T>): Promise<Timed<T>> {
  const sentMs = monotonicNowMs();
  const answer = await running;
  const answeredMs = monotonicNowMs();
  return { answer, tookMs: answeredMs - sentMs, excusedMs: machine.ofCall(sentMs, answeredMs) };
}

/** A call that nobody confirmed: answered after 5.0 to 5.1 s. */
export function expectDeadline({ tookMs, excusedMs }: Omit<Timed<unknown>, 'answer'>): void {
  expect(tookMs).toBeGreaterThanOrEqual(RESPONSE_DEADLINE_MS - TIMER_EARLY_MS);
  expect(tookMs - excusedMs).toBeLessThan(RESPONSE_DEADLINE_MS + ANSWER_SLACK_MS);
}

/** A pulse of that length, of edges on CLOCK_MONOTONIC. */
export function expectPulse({ onMs, offMs }: { onMs: number; offMs: number }, pulseMs: number): void {
  // The guard counts from its look at the clock before the order: what holds the order up makes the pulse shorter.
  expect(offMs - onMs + machine.stolenAround(onMs)).toBeGreaterThanOrEqual(pulseMs - PULSE_EARLY_MS);
  expect(offMs - onMs - machine.stolenAt(onMs + pulseMs)).toBeLessThanOrEqual(pulseMs + PULSE_LATE_MS);
}
