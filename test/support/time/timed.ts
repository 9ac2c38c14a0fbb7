/** Deadlines as a test sees them: by its own watch, less what the machine itself was late, within its cap. */
import { afterAll, expect } from '@jest/globals';
import { RESPONSE_DEADLINE_MS } from '@relaygate/shared';
import { monotonicNowMs } from '@relaygate/shared/system';
import type { Pulse } from '../device/device';
import { onGuard, watchedGuards } from '../processes/watched-guards';
import { type Excusable, inconclusive, note, verdictOn } from './excuse';
import { Lateness } from './lateness';
import { ANSWER_SLACK_MS, PULSE_EARLY_MS, PULSE_LATE_MS, TIMER_EARLY_MS } from './tolerances';
import { beginOf, lostAround } from './windows';

/** Of this test file; it watches the process of the test, which calls and listens. */
export const machine = new Lateness();
machine.watch(process.pid);
onGuard((pid) => machine.watch(pid));
afterAll(() => machine.stop());

export interface Timed<T> {
  readonly answer: T;
  readonly sentMs: number;
  readonly answeredMs: number;
  readonly tookMs: number;
}
type Times = Omit<Timed<unknown>, 'answer'>;

export async function timed<T>(running: Promise<T>): Promise<Timed<T>> {
  const sentMs = monotonicNowMs();
  const answer = await running;
  const answeredMs = monotonicNowMs();
  return { answer, sentMs, answeredMs, tookMs: answeredMs - sentMs };
}

/** `lateMs`: beyond the limit, by a machine that loses nothing. `says`: what went wrong. */
export function expectInTime(what: Excusable, lateMs: number, lostMs: () => number, says: string): void {
  const verdict = verdictOn(what, lateMs, lostMs);
  if (verdict.kind === 'inconclusive') throw inconclusive(what, verdict.lostMs);
  if (verdict.kind === 'excused') note({ kind: 'excused', what, lostMs: verdict.lostMs });
  if (verdict.kind === 'late')
    throw new Error(`${says}: ${lateMs.toFixed(1)} ms too late; the machine lost ${verdict.lostMs.toFixed(1)} ms`);
}

/** A call that nobody confirmed: answered after 5.0 to 5.1 s. */
export function expectDeadline({ sentMs, answeredMs, tookMs }: Times, pids: readonly number[] = []): void {
  expect(tookMs).toBeGreaterThanOrEqual(RESPONSE_DEADLINE_MS - TIMER_EARLY_MS);
  const lateMs = tookMs - RESPONSE_DEADLINE_MS - ANSWER_SLACK_MS;
  const lostMs = (): number => lostAround(machine, { sentMs, answeredMs }, RESPONSE_DEADLINE_MS, pids);
  expectInTime('answer', lateMs, lostMs, `answered after ${tookMs.toFixed(1)} ms`);
}

/** Answered within less than that; `pids`: who takes part beside the test's own process. */
export function expectWithin(
  { sentMs, answeredMs, tookMs }: Times,
  limitMs: number,
  pids: readonly number[] = [],
): void {
  const lostMs = (): number => machine.lostMs({ fromMs: sentMs, toMs: answeredMs }, [process.pid, ...pids]);
  expectInTime('answer', tookMs - limitMs, lostMs, `took ${tookMs.toFixed(1)} ms`);
}

/** The same of 99 of 100 of them. */
export function expectMostWithin(all: readonly Times[], limitMs: number, pids: readonly number[] = []): void {
  const slowest = all.toSorted((one, other) => other.tookMs - one.tookMs);
  const [first] = slowest.slice(Math.ceil(all.length / 100));
  if (first) expectWithin(first, limitMs, pids);
}

/** By how much a pulse may miss its length on a machine that loses nothing; in ms. */
interface PulseSlack {
  readonly earlyMs: number;
  readonly lateMs: number;
}

const SLACK: PulseSlack = { earlyMs: PULSE_EARLY_MS, lateMs: PULSE_LATE_MS };

/** A pulse of that length. */
export function expectPulse(pulse: Pulse, pulseMs: number, slack = SLACK, what: Excusable = 'pulse'): void {
  const { onMs, offMs } = pulse;
  const lengthMs = offMs - onMs;
  const lostMs = (): number => machine.lostMs(beginOf(pulse), watchedGuards());
  expectInTime(what, pulseMs - slack.earlyMs - lengthMs, lostMs, `a pulse of ${lengthMs.toFixed(1)} ms is too short`);
  expectEnd(pulse, pulseMs, slack.lateMs, what);
}

/** The same of a pulse that may end before. */
export function expectEnd({ onMs, offMs }: Pulse, pulseMs: number, lateMs: number, what: Excusable = 'pulse'): void {
  const lostMs = (): number => machine.lostMs({ fromMs: onMs + pulseMs, toMs: offMs }, watchedGuards());
  const lengthMs = offMs - onMs;
  expectInTime(what, lengthMs - pulseMs - lateMs, lostMs, `a pulse of ${pulseMs} ms lasted ${lengthMs.toFixed(1)} ms`);
}
