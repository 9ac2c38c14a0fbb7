import { isoTime } from '@relaygate/shared';

export function yesNo(value: boolean): string {
  return value ? 'yes' : 'no';
}

/** To the second, as people read it. */
export function shortTime(epochMs: number | null, never = '-'): string {
  return (
    isoTime(epochMs)
      ?.replace('T', ' ')
      .replace(/\.\d+Z$/, 'Z') ?? never
  );
}
