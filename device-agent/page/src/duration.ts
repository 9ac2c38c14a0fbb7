/** Lengths of time in words, as relayctl has them. */

import type { Words } from '../../src/locales/page';
import { durationWords } from '../../src/runtime/duration';

/**
 * Shorter settings are shown in milliseconds alone, and shorter remaining times in tenths; number and unit stay in one
 * line.
 */
const LONG_MS = 10_000;
const MINUTE_MS = 60_000;

export function inWords({ units }: Words, ms: number): string {
  return durationWords(ms, units);
}

/** Rounded up to minutes as long as possible, because a clock that ticks draws the eye. */
export function calmly(words: Words, ms: number): string {
  return inWords(words, ms < MINUTE_MS ? ms : Math.ceil(ms / MINUTE_MS) * MINUTE_MS);
}

/** The remaining time of a pulse: "4.8s", "59s". Nobody can read milliseconds that change. */
export function leftInWords(words: Words, ms: number): string {
  if (ms >= LONG_MS) return inWords(words, ms);
  const tenths = (Math.max(0, ms) / 1_000).toFixed(1);
  return `${tenths.replace('.', words.decimal)}${words.units.at(-1)}`;
}

/** A setting, exactly: "750 ms", "90000 ms (1m 30s)". */
export function exactly(words: Words, ms: number): string {
  return ms < LONG_MS ? `${ms}\u00a0ms` : `${ms}\u00a0ms (${inWords(words, ms)})`;
}

/** A pulse to be started: "750 ms", "30s"; no whole second is shown exactly. */
export function pulseInWords(words: Words, ms: number): string {
  return ms >= LONG_MS && ms % 1_000 === 0 ? inWords(words, ms) : exactly(words, ms);
}
