import type { Database } from 'better-sqlite3';
import { isWriterName } from '../../audit/checkpoint';

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
