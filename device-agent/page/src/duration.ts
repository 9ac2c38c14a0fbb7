/** Lengths of time in words, as relayctl has them. */
import type { Words } from '../../src/locales/page';

/** Shorter settings are shown in milliseconds alone, what is left in tenths; number and unit stay in one line. */
const LONG_MS = 10_000;
const MINUTE_MS = 60_000;

const UNITS = [
  ['days', 86_400_000],
  ['hours', 3_600_000],
  ['minutes', MINUTE_MS],
  ['seconds', 1_000],
] as const;

/** The two largest units that are not zero, rounded up to the second: "1h 59m", "45s". */
export function inWords(words: Words, ms: number): string {
  let left = Math.ceil(ms / 1_000) * 1_000;
  const parts: string[] = [];
  for (const [unit, unitMs] of UNITS) {
    const count = Math.floor(left / unitMs);
    left -= count * unitMs;
    if (count > 0) parts.push(`${count}${words.units[unit]}`);
  }
  return parts.slice(0, 2).join(' ') || `0${words.units.seconds}`;
}

/** Rounded up to the minute while there is one: a clock that ticks draws the eye. */
export function calmly(words: Words, ms: number): string {
  return inWords(words, ms < MINUTE_MS ? ms : Math.ceil(ms / MINUTE_MS) * MINUTE_MS);
}

/** What is left of a pulse: "4.8s", "59s". Milliseconds would be a flicker that nobody reads. */
export function leftInWords(words: Words, ms: number): string {
  if (ms >= LONG_MS) return inWords(words, ms);
  const tenths = (Math.max(0, ms) / 1_000).toFixed(1);
  return `${tenths.replace('.', words.decimal)}${words.units.seconds}`;
}

/** A setting, exactly: "750 ms", "90000 ms (1m 30s)". */
export function exactly(words: Words, ms: number): string {
  return ms < LONG_MS ? `${ms}\u00a0ms` : `${ms}\u00a0ms (${inWords(words, ms)})`;
}

/** A pulse to be started: "750 ms", "30s"; what is no whole second is shown exactly. */
export function pulseInWords(words: Words, ms: number): string {
  return ms >= LONG_MS && ms % 1_000 === 0 ? inWords(words, ms) : exactly(words, ms);
}
