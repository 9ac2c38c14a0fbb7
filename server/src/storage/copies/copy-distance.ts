import type { Randomness } from '@relaygate/shared';
import type { Database } from 'better-sqlite3';
import { agedMs, type RestoreDistance } from './restore-distance';

/** Of one kind of numbers: how many the original may give before the copy is looked at again, and how many places copies have. */
interface Range {
  step: number;
  places: number;
}

/** A device that has not seen any takes none above MAX_EPOCH_STEP: thousands of copies of copies stay below it. */
const EPOCHS: Range = { step: 1_000_000, places: 2 ** 20 };
/** Two years of one each millisecond. */
const COUNTERS: Range = { step: 2 ** 36, places: 2 ** 36 };

/**
 * How far the numbers of a copy go up. Nobody can ask the original, or other copies of it: the time decides how far at least,
 * and chance where behind that, for copies that are made at one moment. Numbers that are beyond the time already make one step
 * only, so that a database that is often elsewhere does not use them up.
 */
export function copyDistance(copy: Database, atMs: number, randomness: Randomness): RestoreDistance {
  const ms = agedMs(atMs);
  const highest = (statement: string) => Number(copy.prepare(statement).pluck().get());
  const distance = (reached: number, time: number, { step, places }: Range): number =>
    Math.max(step, time + step - reached) + below(places, randomness);
  return {
    epochs: distance(highest(HIGHEST_EPOCH), Math.floor(ms / 1000), EPOCHS),
    counters: distance(highest(HIGHEST_COUNTER), ms, COUNTERS),
    writers: [],
  };
}

/** `places`: a power of 2, so that all come equally often. */
function below(places: number, randomness: Randomness): number {
  return Buffer.from(randomness.bytes(6)).readUIntBE(0, 6) % places;
}

const HIGHEST_EPOCH = 'SELECT COALESCE(MAX(link_epoch), 0) FROM products';
const HIGHEST_COUNTER = `SELECT MAX(number) FROM (
  SELECT 0 AS number
  UNION ALL SELECT MAX(seq) FROM audit_writers
  UNION ALL SELECT MAX(seq) FROM audit_heads
  UNION ALL SELECT MAX(revision) FROM revision_writers
  UNION ALL SELECT MAX(id) FROM audit_records
  UNION ALL SELECT MAX(id) FROM audit_log
)`;
