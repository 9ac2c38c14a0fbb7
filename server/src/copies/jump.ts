import type { Randomness } from '@relaygate/shared';
import type { Database } from 'better-sqlite3';
import type { AuditEntry } from '../audit/audit-record';
import { isWriterName } from '../audit/checkpoint';
import type { AuditTrail } from '../storage/audit-trail';
import type { Sql, Transaction } from '../storage/sql';

/**
 * Columns of which no number may come again. Devices remember the highest link epoch they have seen and take commands of no
 * lower one (I12). Listeners get everything as changed.
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

/** Raises all numbers of a database above those that another one can have given, or is likely to. Every chain gets a record of it. */
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
  /** The writers that the replaced database knows. Each gets a chain, whose numbers go on behind those that are undone. */
  writers: string[];
}

/** More numbers than can have been given since somebody last read the replaced database. */
const FAR_AHEAD = 1_000_000;
/** No sound database is further ahead of its own backup. */
const MAX_EPOCH_LEAD = 2 ** 31;
const MAX_COUNTER_LEAD = 2 ** 48;

/**
 * Leads beyond all numbers that the replaced database has given. That one may have been restored too, even from the same backup.
 * If it is missing or unreadable, the distance grows with the time: fewer links than one a second are opened, and no other number
 * goes up by one each millisecond.
 */
export function restoreDistance(restored: Database, replacedFile: string | null, atMs: number): RestoreDistance {
  const lead = replacedFile === null ? undefined : leadOf(restored, replacedFile);
  if (lead) return { ...lead, epochs: lead.epochs + FAR_AHEAD, counters: lead.counters + FAR_AHEAD };
  const ms = agedMs(atMs);
  return { epochs: Math.floor(ms / 1000) + FAR_AHEAD, counters: ms + FAR_AHEAD, writers: [] };
}

/** The highest age that a database can have at this time, in ms. */
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
    // Somebody may have written other names into the database; a checkpoint could not hold them.
    return { epochs, counters, writers: names.filter(isWriterName) };
  } catch {
    return undefined;
  } finally {
    restored.exec('DETACH replaced');
  }
}

const EPOCH_LEAD = `SELECT MAX(0, COALESCE(MAX(theirs.link_epoch - ours.link_epoch), 0))
  FROM replaced.products AS theirs JOIN products AS ours ON ours.product_login = theirs.product_login`;

/** The revisions of a writer that the backup does not know began above all others. */
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

/** `step`: how many numbers the original may give before the copy's are reached. `spread`: random numbers below it are added. */
interface Range {
  step: number;
  spread: number;
}

/** Even after thousands of copies of copies, epochs stay below MAX_EPOCH_STEP, the highest one that a new device takes. */
const EPOCHS: Range = { step: 1_000_000, spread: 2 ** 20 };
/** `step`: enough for two years, with one number each millisecond. */
const COUNTERS: Range = { step: 2 ** 36, spread: 2 ** 36 };

/**
 * How far the numbers of a copy go up. Nobody can ask the original, or other copies of it. So the distance grows with the time,
 * and a random part keeps copies of the same moment apart. Numbers that are already higher than the time would make them go up by
 * one step only, so that a database that often moves does not use them up.
 */
export async function copyDistance(copy: Sql, atMs: number, randomness: Randomness): Promise<RestoreDistance> {
  const ms = agedMs(atMs);
  const highest = async (statement: string) => (await copy.get<{ highest: number }>(statement))?.highest ?? 0;
  const distance = (reached: number, time: number, { step, spread }: Range): number =>
    Math.max(step, time + step - reached) + below(spread, randomness);
  return {
    epochs: distance(await highest(HIGHEST_EPOCH), Math.floor(ms / 1000), EPOCHS),
    counters: distance(await highest(HIGHEST_COUNTER), ms, COUNTERS),
    writers: [],
  };
}

/** A random number from 0 to `limit` - 1. `limit`: a power of 2, so that all numbers are equally likely. */
function below(limit: number, randomness: Randomness): number {
  return Buffer.from(randomness.bytes(6)).readUIntBE(0, 6) % limit;
}

const HIGHEST_EPOCH = 'SELECT COALESCE(MAX(link_epoch), 0) AS highest FROM products';
const HIGHEST_COUNTER = `SELECT MAX(number) AS highest FROM (
  SELECT CAST(0 AS BIGINT) AS number
  UNION ALL SELECT MAX(seq) FROM audit_writers
  UNION ALL SELECT MAX(seq) FROM audit_heads
  UNION ALL SELECT MAX(revision) FROM revision_writers
  UNION ALL SELECT MAX(id) FROM audit_records
  UNION ALL SELECT MAX(id) FROM audit_log
) AS numbers`;
