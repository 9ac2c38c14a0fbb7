import { createHash } from 'node:crypto';
import { type BigIntStats, readFileSync, statSync } from 'node:fs';
import { type Clock, type Randomness, RelaygateError } from '@relaygate/shared';
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

/** Where the file of a database is. It stays the same where the file or its folder is renamed on one disk; a copy has another one. */
export interface Location {
  /** Of a machine's id, which people keep to themselves; the same for all that have none. */
  machine: string;
  /** Counts only where `born` is not known: of one disk it may be another at each start of the machine (btrfs, overlayfs, USB). */
  device: string;
  inode: string;
  /** When the file was made, in ns: a copy may get the inode of an original that was removed. Null where the disk does not say it. */
  born: string | null;
}

/** What the system says of a file. */
type FileStats = Pick<BigIntStats, 'dev' | 'ino' | 'birthtimeNs' | 'ctimeNs'>;

export function locationOf(file: string, stats: FileStats = statSync(file, { bigint: true })): Location {
  const { dev, ino, birthtimeNs, ctimeNs } = stats;
  // Where the system does not know it, Node gives 0, or the time of the last change.
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

export function isSameLocation(one: Location, other: Location): boolean {
  return one.machine === other.machine && isSameFile(one, other);
}

/** As far as one machine can say it, whatever its id is: that of a container may be another one than that of its host. */
export function isSameFile(one: Location, other: Location): boolean {
  if (one.inode !== other.inode) return false;
  return one.born === null || other.born === null ? one.device === other.device : one.born === other.born;
}

/** Undefined: nobody has kept it yet. */
export function keptLocation(sql: Sql): Promise<Location | undefined> {
  return sql.get<Location>('SELECT machine, device, inode, born FROM location');
}

export async function keepLocation(sql: Transaction, { machine, device, inode, born }: Location): Promise<void> {
  await sql.run('DELETE FROM location');
  const insert = 'INSERT INTO location (machine, device, inode, born) VALUES ($1, $2, $3, $4)';
  await sql.run(insert, machine, device, inode, born);
}
