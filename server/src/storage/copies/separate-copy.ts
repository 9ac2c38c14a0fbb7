import type { Randomness } from '@relaygate/shared';
import { AuditTrail } from '../audit/audit-trail';
import { openWriteConnection } from '../sqlite/database-file';
import { writeSqlOf } from '../sqlite/statements';
import { copyDistance } from './copy-distance';
import { jump } from './jump';
import { isSameLocation, keepLocation, keptLocation, locationOf } from './location';

export interface SeparateDeps {
  /** It is recorded in the audit chain of this writer. */
  writerName: string;
  actor?: string | undefined;
  /** Wall time. */
  atMs: number;
  randomness: Randomness;
  /** A server that runs has links whose epochs must stay. It has looked by itself when it started. */
  isServerRunning(): boolean;
}

/** Another program may write for so long; then this fails with `storage-unavailable`. */
const LOCK_WAIT_MS = 5_000;

/**
 * A database that is elsewhere than when it was used last may be a copy, whose original goes on as well: from now on it gives
 * other numbers than that one. Whoever only moved it loses nothing. Resolves with whether it is elsewhere.
 */
export async function separateCopy(file: string, deps: SeparateDeps): Promise<boolean> {
  const location = locationOf(file);
  const db = openWriteConnection(file);
  try {
    const sql = writeSqlOf(db);
    const before = await keptLocation(sql);
    if (before && isSameLocation(before, location)) return false;
    db.pragma(`busy_timeout = ${LOCK_WAIT_MS}`);
    await sql.run('BEGIN IMMEDIATE');
    // Another program may have done it meanwhile.
    const kept = await keptLocation(sql);
    if ((kept && isSameLocation(kept, location)) || deps.isServerRunning()) return false;
    if (kept) {
      const { writerName, actor, atMs, randomness } = deps;
      const trail = new AuditTrail(sql, { writerName, actor, randomness });
      const details = { from: kept.machine === location.machine ? 'another file' : 'another machine' };
      await jump(sql, trail, { kind: 'database-copied', atMs, details }, copyDistance(db, atMs, randomness));
      await trail.keepHead();
    }
    await keepLocation(sql, location);
    await sql.commit();
    return kept !== undefined;
  } finally {
    // Without a commit everything is undone.
    db.close();
  }
}
