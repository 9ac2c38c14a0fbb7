import { type Clock, type Randomness, RelaygateError } from '@relaygate/shared';
import { AuditTrail } from '../audit/audit-trail';
import type { Sql } from '../sql';
import { openWriteConnection } from '../sqlite/database-file';
import { writeSqlOf } from '../sqlite/statements';
import { copyDistance } from './copy-distance';
import { jump } from './jump';
import { isSameFile, isSameLocation, keepLocation, keptLocation, type Location, locationOf } from './location';

export interface SeparateDeps {
  /** It is recorded in the audit chain of this writer. */
  writerName: string;
  actor?: string | undefined;
  /** Wall time. */
  atMs: number;
  clock: Clock;
  randomness: Randomness;
  /** A server that runs has links whose epochs must stay. It looks by itself when it starts. */
  isServerRunning(): boolean;
}

/** For people. */
export const SEPARATED =
  'the database is elsewhere than before, perhaps a copy of one that is still in use: it goes on with other numbers of links, changes and records';
/** Another program may write for so long; then this fails with `storage-unavailable`. */
const LOCK_WAIT_MS = 5_000;
/** A server that starts looks within it. */
const SERVER_LOOK_MS = 5_000;
const POLL_MS = 50;

/**
 * A database that is elsewhere than when it was used last may be a copy, whose original goes on as well: from now on it gives
 * other numbers than that one. Whoever only moved it loses nothing. Resolves with whether it is elsewhere. Fails with
 * `storage-unavailable` if a server should have done so and has not.
 */
export async function separateCopy(file: string, deps: SeparateDeps): Promise<boolean> {
  const location = locationOf(file);
  const db = openWriteConnection(file);
  try {
    const sql = writeSqlOf(db);
    db.pragma(`busy_timeout = ${LOCK_WAIT_MS}`);
    while (await isLeftToUs(sql, location, deps)) {
      await sql.run('BEGIN IMMEDIATE');
      // Another program may have done it meanwhile.
      const kept = await keptLocation(sql);
      if (kept && isSameLocation(kept, location)) return false;
      if (deps.isServerRunning()) {
        await sql.run('ROLLBACK');
        continue;
      }
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
    }
    return false;
  } finally {
    // Without a commit everything is undone.
    db.close();
  }
}

/** False if the database is where it was. Waits for the look of a server that runs. */
async function isLeftToUs(sql: Sql, location: Location, { clock, isServerRunning }: SeparateDeps): Promise<boolean> {
  const giveUpMs = clock.nowMs() + SERVER_LOOK_MS;
  for (;;) {
    const kept = await keptLocation(sql);
    if (kept && isSameLocation(kept, location)) return false;
    if (!isServerRunning()) return true;
    if (!kept) return false;
    if (clock.nowMs() >= giveUpMs) {
      // The server is in a container that has another machine id.
      if (isSameFile(kept, location)) return false;
      throw new RelaygateError('storage-unavailable', NOT_LOOKED);
    }
    await new Promise<void>((resolve) => void clock.after(POLL_MS, resolve));
  }
}

const NOT_LOOKED =
  'The database is elsewhere than before, perhaps a copy, and the server that runs on it has not given it other numbers yet. Nothing was changed. Run the command again when the server listens; if it does already, restart it first.';
