import type { Randomness } from '@relaygate/shared';
import type { Database } from 'better-sqlite3';
import type { AuditEntry } from '../audit/audit-record';
import { isWriterName } from '../audit/checkpoint';
import type { AuditTrail } from '../storage/audit-trail';
import type { Transaction } from '../storage/sql';

/**
 * Columns of which no number may come again. Devices remember the highest link epoch they have seen and take commands of no
 * lower one (I12). To whoever listens for changes, everything has changed.
 */
const AHEAD = {
  epochs: [
    'products SET link_epoch = link_epoch + $1, held_epoch = held_epoch + $1',
    // The reports of the last link stay those of the last link.
    'outputs SET heard_epoch = heard_epoch + $1',
  ],
  counters: [
    'products SET revision = revision + $1',
    'outputs SET revision = revision + $1',
    // Those that are closed stay as they are.
    'commands SET revision = revision + $1 WHERE open = 1',
    'revision_writers SET revision = revision + $1',
  ],
};

/** A database goes on where no other one has been, or most likely none: all its numbers, with a record of it in every chain. */
export async function jump(
  sql: Transaction,
  trail: AuditTrail,
  entry: AuditEntry,
  { epochs, counters, writers }: RestoreDistance,
): Promise<void> {
  for (const numbers of AHEAD.epochs) await sql.run(`UPDATE ${numbers}`, epochs);
  for (const numbers of AHEAD.counters) await sql.run(`UPDATE ${numbers}`, counters);
  await trail.jump(entry, counters, writers);
}

/** How far the numbers of a restored database, or of a copy, go up, so that none comes again. */
export interface RestoreDistance {
  /** Of link epochs. A device takes none that is more than MAX_EPOCH_STEP above the one that it knows. */
  epochs: number;
  /** Of records and their ids, and of revisions. */
  counters: number;
  /** The writers that the replaced database knows. Each gets a chain, which goes on behind the one that is undone. */
  writers: string[];
}

/** Further than they can have come since somebody looked at the replaced database last. */
const FAR_AHEAD = 1_000_000;
/** No sound database is so far ahead of a backup of it. */
const MAX_EPOCH_LEAD = 2 ** 31;
const MAX_COUNTER_LEAD = 2 ** 48;

/**
 * Behind all that the replaced database has given, which may be restored itself, from the same backup. If nobody can read that
 * one, or it is missing, the time decides: no link opens every second, nothing counts on every millisecond, and later restores
 * go further.
 */
export function restoreDistance(restored: Database, replacedFile: string | null, atMs: number): RestoreDistance {
  const lead = replacedFile === null ? undefined : leadOf(restored, replacedFile);
  if (lead) return { ...lead, epochs: lead.epochs + FAR_AHEAD, counters: lead.counters + FAR_AHEAD };
  const ms = agedMs(atMs);
  return { epochs: Math.floor(ms / 1000) + FAR_AHEAD, counters: ms + FAR_AHEAD, writers: [] };
}

/** No database is older at this time. */
export function agedMs(atMs: number): number {
  return Math.max(0, atMs - Date.UTC(2026));
}

/** Undefined if it cannot be read, or has numbers that nothing can have given. */
function leadOf(restored: Database, replacedFile: string): RestoreDistance | undefined {
  try {
    restored.prepare('ATTACH ? AS replaced').run(replacedFile);
  } catch {
    return undefined;
  }
  try {
    const lead = (statement: string) => Number(restored.prepare(statement).pluck().get());
    const [epochs, counters] = [lead(EPOCH_LEAD), lead(COUNTER_LEAD)];
    if (!(epochs <= MAX_EPOCH_LEAD && counters <= MAX_COUNTER_LEAD)) return undefined;
    const names = restored.prepare<[], string>('SELECT name FROM replaced.audit_writers').pluck().all();
    // Somebody may have written others into it, which no checkpoint could hold.
    return { epochs, counters, writers: names.filter(isWriterName) };
  } catch {
    return undefined;
  } finally {
    restored.exec('DETACH replaced');
  }
}

const EPOCH_LEAD = `SELECT MAX(0, COALESCE(MAX(theirs.link_epoch - ours.link_epoch), 0))
  FROM replaced.products AS theirs JOIN products AS ours ON ours.product_login = theirs.product_login`;

/** A writer that the backup does not know begins its revisions behind all others. */
const COUNTER_LEAD = `SELECT MAX(0, COALESCE(MAX(lead), 0)) FROM (
  SELECT theirs.seq - COALESCE(ours.seq, old.seq, 0) AS lead
    FROM replaced.audit_writers AS theirs
      LEFT JOIN audit_writers AS ours ON ours.name = theirs.name
      LEFT JOIN audit_heads AS old ON old.writer = theirs.name
  UNION ALL SELECT theirs.revision - COALESCE(ours.revision, (SELECT MAX(revision) FROM revision_writers))
    FROM replaced.revision_writers AS theirs LEFT JOIN revision_writers AS ours ON ours.writer = theirs.writer
  UNION ALL SELECT COALESCE(MAX(id), 0) - (SELECT COALESCE(MAX(id), 0) FROM (
      SELECT MAX(id) AS id FROM main.audit_log UNION ALL SELECT MAX(id) FROM main.audit_records))
    FROM replaced.audit_log
)`;

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
