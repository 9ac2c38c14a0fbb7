/** From days to seconds. */
const UNITS: Readonly<Record<string, number>> = { d: 86_400_000, h: 3_600_000, m: 60_000, s: 1_000 };

/** "2h", "90m", "45s", "7d" in milliseconds; null: it is no such text. */
export function durationMs(text: string): number | null {
  const [, count, unit = ''] = /^([1-9][0-9]{0,6})([smhd])$/.exec(text) ?? [];
  return count === undefined ? null : Number(count) * (UNITS[unit] ?? Number.NaN);
}

/**
 * The two largest units that are not zero, rounded up to the second: "1h 59m", "45s". `units`: what is written behind
 * each number, from days to seconds.
 */
export function durationWords(ms: number, units: readonly string[] = Object.keys(UNITS)): string {
  let left = Math.ceil(ms / 1_000) * 1_000;
  const parts: string[] = [];
  for (const [index, unitMs] of Object.values(UNITS).entries()) {
    const count = Math.floor(left / unitMs);
    left -= count * unitMs;
    if (count > 0) parts.push(`${count}${units[index]}`);
  }
  return parts.slice(0, 2).join(' ') || `0${units.at(-1)}`;
}

/** A time to wait: "60 min", "45 s". */
export function waitWords(seconds: number): string {
  return seconds <= 120 ? `${seconds} s` : `${Math.ceil(seconds / 60)} min`;
}
