export function yesNo(value: boolean): string {
  return value ? 'yes' : 'no';
}

/** ISO 8601 in UTC; null stays null. */
export function timeOf(epochMs: number | null): string | null {
  return epochMs === null ? null : new Date(epochMs).toISOString();
}

/** To the second, as people read it. */
export function shortTime(epochMs: number | null, never = '-'): string {
  return (
    timeOf(epochMs)
      ?.replace('T', ' ')
      .replace(/\.\d+Z$/, 'Z') ?? never
  );
}
