import { existsSync, linkSync, renameSync, rmSync } from 'node:fs';
import { basename, resolve } from 'node:path';
import { KEEP_CHECKPOINT_MS, type Randomness, RelaygateError } from '@relaygate/shared';
import { brokenAudit } from '../audit/audit-report';
import { type Checkpoint, checkpointEntry, keyIdOf, signCheckpoint } from '../audit/checkpoint';
import type { CheckedCopy, CopyProgress } from '../checked-copy';
import { auditKeyFile, openAuditKey, readAuditKey } from '../files/audit-key';
import { saveCheckpointApart, untilAborted } from '../files/checkpoint-process';
import { databaseFile, giveToOwnerOf, prepareDataFolder } from '../files/data-folder';
import { nameDurably, sync } from '../files/durable-file';
import { messageOf } from '../foreign-error';
import { AuditTrail } from '../storage/audit-trail';
import { lockDataFolder } from '../storage/sqlite/data-folder-lock';
import { emptyLog, openDatabase } from '../storage/sqlite/database-file';
import { MIGRATIONS } from '../storage/sqlite/migrations';
import { isBusy, isFull, writeSqlOf } from '../storage/sqlite/sqlite';
import { checkedCopy, removeDatabase } from './back-up';
import { jump, restoreDistance } from './jump';
import { keepLocation, locationOf } from './separate-copy';

export interface Restored extends CheckedCopy {
  /** The new name of the replaced database; null if there was none. */
  replacedFile: string | null;
  /** Why the checkpoint of the restored audit is not in its file; null if it is. */
  checkpointFault: string | null;
}

export interface RestoreDeps {
  dataDir: string;
  /** The restore is recorded in the audit chain of this writer. */
  writerName: string;
  /** Who restores it. */
  actor: string;
  /** Wall time. */
  atMs: number;
  progress: CopyProgress;
  /** There is no database to replace: one is made. */
  isNew: boolean;
  randomness: Randomness;
  /** Where the newest checkpoint of the audit is kept. */
  checkpointFile: string;
}

/**
 * Replaces the data folder's database by a checked copy of the backup `from`. The old database is kept beside it. Fails like
 * `checkedCopy`, and with
 * - `already-running` if a server runs on the folder,
 * - `database-unusable` if there is no database to replace and `isNew` is not set, or the disk fails,
 * - `already-exists` if there is a database and `isNew` is set,
 * - `audit-broken` if the audit of the backup is broken, or `audit.key` did not sign a checkpoint in it that says so,
 * - `secrets-unusable` if that key is damaged,
 * - `disk-full` if an older backup cannot be migrated.
 * Then nothing has changed. `sizeBytes`, `databaseVersion` and `audit` are those of the backup.
 */
export async function restore(from: string, deps: RestoreDeps): Promise<Restored> {
  const { dataDir, atMs, progress, isNew } = deps;
  if (isNew && existsSync(databaseFile(dataDir))) {
    const text = `There is a database in ${dataDir} already. To replace it, leave --new out: the old one stays beside it.`;
    throw new RelaygateError('already-exists', text);
  }
  if (!isNew && !existsSync(databaseFile(dataDir))) {
    const text = `There is no database in ${dataDir} to replace: set RELAYGATE_DATA_DIR to the server's data folder, or give --new to make one there.`;
    throw new RelaygateError('database-unusable', text);
  }
  prepareDataFolder(dataDir);
  const unlock = lockDataFolder(dataDir);
  const file = databaseFile(dataDir);
  const staged = `${file}.restoring`;
  try {
    // Left behind by a restore that was killed; the lock says that none is under way.
    removeDatabase(staged);
    const source = { file: resolve(from), inUse: false };
    const copy = await checkedCopy(source, staged, progress, { key: readAuditKey(dataDir) });
    // Checkpoints of another machine's key, or of one that was lost, say neither that the audit is sound nor that it is broken.
    const broken = brokenAudit({ findings: copy.audit.findings.filter(({ fault }) => fault !== 'other-key') });
    if (broken !== undefined) throw new RelaygateError('audit-broken', `The audit of ${from} is ${broken}.`);
    const replacedFile = existsSync(file) ? freeNameBeside(file, atMs) : null;
    const checkpoint = await markRestored(staged, from, replacedFile, deps);
    giveToOwnerOf(dataDir, staged, auditKeyFile(dataDir));
    replace(file, staged, replacedFile);
    return { ...copy, replacedFile, checkpointFault: await keepCheckpoint(checkpoint, deps) };
  } finally {
    removeDatabase(staged);
    unlock();
  }
}

const NEWEST_CHECKPOINT = `SELECT body FROM audit_log
  WHERE kind IN ('checkpoint', 'audit-key-changed') ORDER BY id DESC LIMIT 1`;

/** Resolves with a checkpoint of the audit as it is now, because the old one knows records that are undone. */
async function markRestored(
  staged: string,
  from: string,
  replacedFile: string | null,
  { dataDir, writerName, actor, atMs, progress, randomness }: RestoreDeps,
): Promise<Checkpoint> {
  const key = await openAuditKey(dataDir, randomness, async () => {});
  const db = openDatabase(staged, MIGRATIONS, { isCopy: true, progress: (text) => progress.migrated(text) });
  try {
    const distance = restoreDistance(db, replacedFile === null ? null : databaseFile(dataDir), atMs);
    const sql = writeSqlOf(db);
    await sql.begin();
    // Records of the first release have this name for the replaced file.
    const details = { from: basename(from), keptAside: replacedFile && basename(replacedFile) };
    const trail = new AuditTrail(sql, { writerName, actor, randomness });
    await jump(sql, trail, { kind: 'database-restored', atMs, details }, distance);
    // The file keeps it when it gets its name.
    await keepLocation(sql, locationOf(staged));
    const newest = await sql.get<{ body: string }>(NEWEST_CHECKPOINT);
    const isOtherKey = newest !== undefined && JSON.parse(newest.body).details?.keyId !== keyIdOf(key);
    const kind = isOtherKey ? 'audit-key-changed' : 'checkpoint';
    await trail.append(checkpointEntry(signCheckpoint(key, atMs, await trail.heads(atMs)), kind));
    await trail.keepHead();
    const heads = await trail.heads(atMs);
    await sql.commit();
    // One plain file, without a log beside it.
    db.pragma('journal_mode = DELETE');
    return signCheckpoint(key, atMs, heads);
  } finally {
    // Without a commit everything is undone, and the file is removed.
    db.close();
  }
}

/**
 * Replaces the old checkpoint, which knows records that are undone: `audit verify` would miss them. Resolves with why that failed,
 * null if it did not.
 */
async function keepCheckpoint(
  checkpoint: Checkpoint,
  { dataDir, checkpointFile }: RestoreDeps,
): Promise<string | null> {
  const limit = AbortSignal.timeout(KEEP_CHECKPOINT_MS);
  const hangs = untilAborted(limit).then(() => {
    throw new Error(`${checkpointFile} takes too long`);
  });
  try {
    await Promise.race([saveCheckpointApart(checkpointFile, checkpoint, limit), hangs]);
    giveToOwnerOf(dataDir, checkpointFile);
    return null;
  } catch (cause) {
    return `The database is restored, but its checkpoint is not in its file: ${messageOf(cause)}. Until the server has made a new one, "audit verify" misses records that are undone.`;
  }
}

function freeNameBeside(file: string, atMs: number): string {
  const time = new Date(atMs).toISOString().replace(/[-:]|\.\d+/g, '');
  const names = [
    `${file}.replaced-${time}`,
    ...Array.from({ length: 9 }, (_, n) => `${file}.replaced-${time}-${n + 2}`),
  ];
  const free = names.find((name) => !existsSync(name));
  if (free === undefined) throw new RelaygateError('already-exists', `${names[0]} and nine names like it are taken.`);
  return free;
}

/** The database `staged` becomes `file`, and the old one `replacedFile`. Fails with `database-unusable`, with nothing changed. */
function replace(file: string, staged: string, replacedFile: string | null): void {
  try {
    // Before anything happens to the old database, because a disk that is full or fails often shows it here.
    sync(staged);
    if (replacedFile !== null) giveSecondName(file, replacedFile);
    nameDurably(staged, file, { replaces: true });
  } catch (cause) {
    const text = `${file} cannot be replaced: ${messageOf(cause)}. ${takeBack(file, staged, replacedFile)}`;
    throw new RelaygateError('database-unusable', text, { cause });
  }
}

/** Undoes what `replace` has done so far. Returns a sentence that says which database is there. */
function takeBack(file: string, staged: string, replacedFile: string | null): string {
  try {
    if (replacedFile === null) {
      if (!existsSync(staged)) renameSync(file, staged);
      return 'There is still no database.';
    }
    for (const suffix of ['', '-wal']) {
      if (!existsSync(`${replacedFile}${suffix}`)) continue;
      // If both names are of one file already, a rename changes nothing.
      renameSync(`${replacedFile}${suffix}`, `${file}${suffix}`);
      rmSync(`${replacedFile}${suffix}`, { force: true });
    }
    return 'The old database is still in use.';
  } catch (error) {
    return `The old one may be ${replacedFile ?? 'missing'}: ${messageOf(error)}.`;
  }
}

/**
 * Gives the old database a second name and removes its write-ahead log. The new database takes the first name afterwards. If
 * the program is killed in between, the folder still has a database, and the restore can be run again. A log must never meet
 * another database.
 */
function giveSecondName(file: string, second: string): void {
  let isRead = false;
  try {
    isRead = !emptyLog(file);
  } catch (error) {
    if (isBusy(error) || isFull(error)) throw error;
    // It is too damaged. It keeps its log under its second name.
  }
  // A kill between the two removals would part it from what is in its log alone.
  if (isRead) throw new Error('another program is reading it; wait until that ends');
  for (const suffix of ['', '-wal'])
    if (existsSync(`${file}${suffix}`)) linkSync(`${file}${suffix}`, `${second}${suffix}`);
  for (const suffix of ['-wal', '-shm']) rmSync(`${file}${suffix}`, { force: true });
}
