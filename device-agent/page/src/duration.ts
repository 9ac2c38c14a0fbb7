/** Lengths of time in words, as relayctl has them. */

import type { PageTranslations } from '../../src/locales/page';
import { durationWords } from '../../src/runtime/duration';

/**
 * Shorter settings are shown in milliseconds alone, and shorter remaining times in tenths; number and unit stay in one
 * line.
 */
const LONG_MS = 10_000;
const MINUTE_MS = 60_000;

export function inWords({ units }: PageTranslations, ms: number): string {
  return durationWords(ms, units);
}

/** Rounded up to minutes as long as possible, because a clock that ticks draws the eye. */
export function calmly(t: PageTranslations, ms: number): string {
  return inWords(t, ms < MINUTE_MS ? ms : Math.ceil(ms / MINUTE_MS) * MINUTE_MS);
}

/** The remaining time of a pulse: "4.8s", "59s". Nobody can read milliseconds that change. */
export function leftInWords(t: PageTranslations, ms: number): string {
  if (ms >= LONG_MS) return inWords(t, ms);
  const tenths = (Math.max(0, ms) / 1_000).toFixed(1);
  return `${tenths.replace('.', t.decimal)}${t.units.at(-1)}`;
}

/** A setting, exactly: "750 ms", "90000 ms (1m 30s)". */
export function exactly(t: PageTranslations, ms: number): string {
  return ms < LONG_MS ? `${ms}\u00a0ms` : `${ms}\u00a0ms (${inWords(t, ms)})`;
}

/** A pulse to be started: "750 ms", "30s"; no whole second is shown exactly. */
export function pulseInWords(t: PageTranslations, ms: number): string {
  return ms >= LONG_MS && ms % 1_000 === 0 ? inWords(t, ms) : exactly(t, ms);
}
