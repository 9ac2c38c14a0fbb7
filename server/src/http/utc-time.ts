import { isoTime } from '@relaygate/shared';

/** The digits are checked by reading the time back, because JavaScript takes 30 February for 2 March. */
export const UTC_TIME_PATTERN = '^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}(:[0-9]{2}(\\.[0-9]{1,3})?)?Z$';
const UTC_TIME = new RegExp(UTC_TIME_PATTERN);

/** Wall time in ms of an ISO 8601 time in UTC; undefined if the text is none. */
export function utcTimeMs(text: string): number | undefined {
  const epochMs = UTC_TIME.test(text) ? Date.parse(text) : Number.NaN;
  const isTime = !Number.isNaN(epochMs) && isoTime(epochMs).startsWith(text.slice(0, 'YYYY-MM-DDTHH:MM'.length));
  return isTime ? epochMs : undefined;
}
