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

/** The two largest units that are not zero, rounded up to the second: "1h 59m", "45s". */
export function durationWords(ms: number): string {
  let left = Math.ceil(ms / 1_000) * 1_000;
  const parts: string[] = [];
  for (const { letter, ms: unitMs } of UNITS) {
    const count = Math.floor(left / unitMs);
    left -= count * unitMs;
    if (count > 0) parts.push(`${count}${letter}`);
  }
  return parts.slice(0, 2).join(' ') || '0s';
}
