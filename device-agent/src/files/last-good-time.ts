/** `last-good-time.json`: when this device was last linked to its server. At the next start the clock goes on from there. */
import { parserOf, type Static, Type } from '@relaygate/shared/schema';
import type { Files } from './files';
import { JsonFile, type JsonFormat } from './json-file';

const LastGoodTime = Type.Object({
  /** Milliseconds since 1970-01-01 UTC. No clock is set beyond 2200. */
  epochMs: Type.Integer({ minimum: 0, maximum: Date.UTC(2200, 0, 1) }),
});
type LastGoodTime = Static<typeof LastGoodTime>;
const FORMAT: JsonFormat<LastGoodTime> = { parse: parserOf(LastGoodTime), isOneLine: true };

export function lastGoodTimeFile(files: Files, path: string): JsonFile<LastGoodTime> {
  return new JsonFile(files, path, FORMAT);
}
