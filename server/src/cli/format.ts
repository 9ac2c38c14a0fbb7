import { isoTime } from '@relaygate/shared';

export function yesNo(value: boolean): string {
  return value ? 'yes' : 'no';
}

/** For people: to the second, in UTC. */
export function shortTime(epochMs: number | null, never = '-'): string {
  return (
    isoTime(epochMs)
      ?.replace('T', ' ')
      .replace(/\.\d+Z$/, 'Z') ?? never
  );
}
