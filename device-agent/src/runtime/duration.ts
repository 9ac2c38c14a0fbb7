const UNITS = [
  { letter: 'd', ms: 86_400_000 },
  { letter: 'h', ms: 3_600_000 },
  { letter: 'm', ms: 60_000 },
  { letter: 's', ms: 1_000 },
] as const;

/** "2h", "90m", "45s", "7d" in milliseconds; null: it is no such text. */
export function durationMs(text: string): number | null {
  const found = /^([1-9][0-9]{0,6})([smhd])$/.exec(text);
  const unit = UNITS.find(({ letter }) => letter === found?.[2]);
  return found && unit ? Number(found[1]) * unit.ms : null;
}

const LETTERS: readonly string[] = UNITS.map(({ letter }) => letter);

/**
 * The two largest units that are not zero, rounded up to the second: "1h 59m", "45s". `units`: what is written behind
 * each number, from days to seconds.
 */
export function durationWords(ms: number, units = LETTERS): string {
  let left = Math.ceil(ms / 1_000) * 1_000;
  const parts: string[] = [];
  for (const [index, { ms: unitMs }] of UNITS.entries()) {
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
