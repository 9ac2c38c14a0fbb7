/** Deadlines as a test sees them: by its own watch, less what the machine itself was late. */
import { afterAll, expect } from '@jest/globals';
import { RESPONSE_DEADLINE_MS } from '@relaygate/shared';
import { monotonicNowMs } from '@relaygate/shared/system';
import type { Pulse } from './device/device';
import { Lateness } from './lateness';
import { ANSWER_SLACK_MS, PULSE_EARLY_MS, PULSE_LATE_MS, TIMER_EARLY_MS } from './tolerances';

const machine = new Lateness({ readsLate: false });
machine.watch(process.pid);
afterAll(() => machine.stop());

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

/** By how much a pulse may miss its length, beside what the machine itself was late; in ms. */
interface PulseSlack {
  readonly earlyMs: number;
  readonly lateMs: number;
}

const SLACK: PulseSlack = { earlyMs: PULSE_EARLY_MS, lateMs: PULSE_LATE_MS };

/** A pulse of that length. */
export function expectPulse(pulse: Pulse, pulseMs: number, slack = SLACK): void {
  // The guard counts from its look at the clock before the order: what holds the order up makes the pulse shorter.
  const { onMs, offMs } = pulse;
  expect(offMs - onMs + machine.stolenAround(onMs)).toBeGreaterThanOrEqual(pulseMs - slack.earlyMs);
  expectEnd(pulse, pulseMs, slack.lateMs);
}

/** The same of a pulse that may end before. */
export function expectEnd({ onMs, offMs }: Pulse, pulseMs: number, lateMs: number): void {
  expect(offMs - onMs - machine.stolenAt(onMs + pulseMs)).toBeLessThanOrEqual(pulseMs + lateMs);
}
