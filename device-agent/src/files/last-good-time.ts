/** `last-good-time.json`: when this device was last linked to its server. At the next start the clock goes on from there. */
import { parserOf, type Static, Type } from '@relaygate/shared/schema';
import { parsedIn } from './json-text';

export const LAST_GOOD_TIME_FILE = 'last-good-time.json';

const LastGoodTime = Type.Object({
  /** Milliseconds since 1970-01-01 UTC. No clock is set beyond 2200. */
  epochMs: Type.Integer({ minimum: 0, maximum: Date.UTC(2200, 0, 1) }),
});
const parseLastGoodTime = parserOf(LastGoodTime);

export function lastGoodTimeText(time: Static<typeof LastGoodTime>): string {
  return `${JSON.stringify(time)}\n`;
}

/** null: the text is none. */
export function lastGoodTimeIn(text: string): number | null {
  return parsedIn(text, parseLastGoodTime)?.epochMs ?? null;
}
