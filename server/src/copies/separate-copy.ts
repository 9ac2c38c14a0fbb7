import { createHash } from 'node:crypto';
import { type BigIntStats, readFileSync, statSync } from 'node:fs';
import { type Clock, pause, type Randomness, RelaygateError } from '@relaygate/shared';
import { AuditTrail } from '../storage/audit-trail';
import type { Sql, Transaction } from '../storage/sql';
import { openWriteConnection } from '../storage/sqlite/database-file';
import { writeSqlOf } from '../storage/sqlite/sqlite';
import { copyDistance, jump } from './jump';

export interface SeparateDeps {
  /** It is recorded in the audit chain of this writer. */
  writerName: string;
  actor?: string | undefined;
  /** Wall time. */
  atMs: number;
  clock: Clock;
  randomness: Randomness;
  /** The epochs of a running server's links must not change. A server checks its database by itself when it starts. */
  isServerRunning(): boolean;
}

/** For people. */
export const SEPARATED =
  'the database is elsewhere than before, perhaps a copy of one that is still in use: it goes on with other numbers of links, changes and records';
/** How long this waits for another program's write before it fails with `storage-unavailable`. */
const LOCK_WAIT_MS = 5_000;
/** A server checks its database within this time of its start. */
const SERVER_CHECK_MS = 5_000;
const POLL_MS = 50;

/**
 * Raises the numbers of a database that is elsewhere than when it was last used: it may be a copy, and the original may still be
 * in use. If somebody only moved it, this costs nothing. Resolves with true if the database is elsewhere. Fails with
 * `storage-unavailable` if a running server should have done this and has not.
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
        await jump(sql, trail, { kind: 'database-copied', atMs, details }, await copyDistance(sql, atMs, randomness));
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

/** False if the database is where it was. If a server runs, waits until that has checked the database. */
async function isLeftToUs(sql: Sql, location: Location, { clock, isServerRunning }: SeparateDeps): Promise<boolean> {
  const giveUpMs = clock.nowMs() + SERVER_CHECK_MS;
  for (;;) {
    const kept = await keptLocation(sql);
    if (kept && isSameLocation(kept, location)) return false;
    if (!isServerRunning()) return true;
    if (!kept) return false;
    if (clock.nowMs() >= giveUpMs) {
      // The server runs in a container, which has another machine id.
      if (isSameFile(kept, location)) return false;
      throw new RelaygateError('storage-unavailable', NOT_CHECKED);
    }
    await pause(clock, POLL_MS);
  }
}

const NOT_CHECKED =
  'The database is elsewhere than before, perhaps a copy, and the server that runs on it has not given it other numbers yet. Nothing was changed. Run the command again when the server listens; if it does already, restart it first.';

/** Identifies the file of a database. It stays the same if the file or its folder is renamed on one disk; a copy has another one. */
export interface Location {
  /** A hash of the machine's id, because that id is private; the same for all machines without an id. */
  machine: string;
  /** Compared only if `born` is not known: the number of one disk may change at each start of the machine (btrfs, overlayfs, USB). */
  device: string;
  inode: string;
  /** When the file was made, in ns: a copy may get the inode of an original that was removed. Null if the disk does not store it. */
  born: string | null;
}

/** What the file system knows about a file. */
type FileStats = Pick<BigIntStats, 'dev' | 'ino' | 'birthtimeNs' | 'ctimeNs'>;

/** Throws if there is no such file. */
export function locationOf(file: string, stats: FileStats = statSync(file, { bigint: true })): Location {
  const { dev, ino, birthtimeNs, ctimeNs } = stats;
  // If the system does not know the time, Node gives 0, or the time of the last change.
  const isKnown = birthtimeNs !== 0n && birthtimeNs !== ctimeNs;
  const machine = createHash('sha256').update(`relaygate ${machineId()}`).digest('hex').slice(0, MACHINE_CHARS);
  return { machine, device: String(dev), inode: String(ino), born: isKnown ? String(birthtimeNs) : null };
}

const MACHINE_CHARS = 16;

function machineId(): string {
  try {
    return readFileSync('/etc/machine-id', 'utf8').trim();
  } catch {
    return '';
  }
}

/** True if both are the same file on the same machine. */
export function isSameLocation(one: Location, other: Location): boolean {
  return one.machine === other.machine && isSameFile(one, other);
}

/** Compares without the machine's id, because a container may have another id than its host. */
export function isSameFile(one: Location, other: Location): boolean {
  if (one.inode !== other.inode) return false;
  return one.born === null || other.born === null ? one.device === other.device : one.born === other.born;
}

/** Undefined if no program has stored it yet. */
export function keptLocation(sql: Sql): Promise<Location | undefined> {
  return sql.get<Location>('SELECT machine, device, inode, born FROM location');
}

/** Stores the location in place of an older one. */
export async function keepLocation(sql: Transaction, { machine, device, inode, born }: Location): Promise<void> {
  await sql.run('DELETE FROM location');
  const insert = 'INSERT INTO location (machine, device, inode, born) VALUES ($1, $2, $3, $4)';
  await sql.run(insert, machine, device, inode, born);
}
