import { dirname } from 'node:path';
import { type Clock, STORAGE_WRITE_TIMEOUT_MS, type WallClock } from '@relaygate/shared';
import { systemClock } from '@relaygate/shared/system';
import { prepareDataFolder } from '../../files/data-folder';
import { GroupCommit, inlineWriter, LOCK_TRY_MS, SerialQueue } from '../group-commit';
import type { Sql } from '../sql';
import { type Bind, methodsOf, type WriteContext } from '../sql';
import { READS, type Storage, WRITES, type WriteName, type Writer } from '../storage';
import { type Soon, ThreadedWriter } from '../threaded-writer';
import { IN_MEMORY, openDatabase, openReadConnection } from './database-file';
import { MIGRATIONS } from './migrations';
import { asDatabaseError, sqlOf, writeSqlOf } from './sqlite';
import { ALL_AUDIT_READS } from './versioned-audit';
import { type StartWriterThread, workerThread } from './writer-thread';

export interface SqliteStorageOptions {
  /** Its folder is made if missing. `:memory:` with `inline` only. */
  file: string;
  /** The writer of the audit chain: the node's name, or `cli`. */
  writerName: string;
  /** Who runs the operator's command that opens it; all its audit records name them. */
  actor?: string | undefined;
  /** Before an older database is migrated, which does not happen if it throws; what it returns is called behind that. */
  beforeMigration?: () => () => void;
  /** Gets sentences about a migration, which may take minutes. */
  migrationProgress?: (text: string) => void;
  /** With `inline`, once; if it rejects, nothing is written. */
  beforeFirstWrite?: () => Promise<void>;
  /** With `inline`, when a write has begun and no other program writes; if it throws, nothing is written. */
  begun?: () => void;
  /** Everything on this thread, each write a transaction of its own. */
  inline?: boolean;
  /** With `:memory:`: what it begins with, so that many can be opened and the schema is made once. */
  image?: Buffer;
  /** How long a write may wait for the lock that another process holds. */
  writeTimeoutMs?: number;
  /** Of the system, unless `inline`: the writer thread reads the deadlines on that one. */
  clock?: Clock;
  /** What `now_ms()` is to reads; `startThread` decides it for writes. Of the system, unless given. */
  wallClock?: WallClock;
  /** Another writer thread than the one that is shipped, on the same clock. */
  startThread?: StartWriterThread;
  soon?: Soon;
}

/**
 * The storage port over one SQLite file. Fails with `folder-not-writable`, `database-too-new` or `database-unusable`.
 * Several processes may have the file open at once; each sees the others' commits at its next read.
 */
export async function openSqliteStorage(options: SqliteStorageOptions): Promise<Storage> {
  const {
    file,
    writerName,
    actor,
    inline = false,
    writeTimeoutMs = STORAGE_WRITE_TIMEOUT_MS,
    clock = systemClock,
  } = options;
  if (file !== IN_MEMORY) prepareDataFolder(dirname(file));
  const { image, beforeMigration, migrationProgress: progress } = options;
  const db = openDatabase(file, MIGRATIONS, { image, beforeMigration, progress });
  const atCommit: (() => void)[] = [];
  const committed = (): void => {
    for (const run of atCommit) run();
  };
  const onCommit = (run: () => void): void => void atCommit.push(run);
  if (inline) {
    db.pragma(`busy_timeout = ${LOCK_TRY_MS}`);
    const sql = writeSqlOf(db, options.begun);
    const queue = new SerialQueue();
    const nowMs = (): number => clock.nowMs();
    const group = new GroupCommit(sql, writerName, nowMs, actor);
    const plainWriter = inlineWriter(queue, group, nowMs, writeTimeoutMs, committed);
    const writer = options.beforeFirstWrite ? afterFirst(plainWriter, options.beforeFirstWrite) : plainWriter;
    return storageOf(
      (read) =>
        (...args) =>
          queue.run(() => read(sql, ...args)),
      writer,
      onCommit,
      () => queue.run(async () => void db.close()),
    );
  }
  const reader = openReadConnection(file, options.wallClock);
  try {
    const { startThread = workerThread(), soon } = options;
    const writer = await ThreadedWriter.start({
      startThread: (listener) => startThread({ file, writerName, actor }, listener),
      clock,
      writeTimeoutMs,
      soon,
      committed,
    }).catch((error: unknown) => {
      throw asDatabaseError(error);
    });
    const sql = sqlOf(reader);
    return storageOf(
      (read) => read.bind(undefined, sql),
      writer,
      onCommit,
      () => {
        // First: as the last connection, one that only reads would leave the write-ahead log behind.
        reader.close();
        return writer.close();
      },
    );
  } catch (error) {
    reader.close();
    throw error;
  } finally {
    // It has set the file up; thread and reader have connections of their own.
    db.close();
  }
}

function afterFirst({ execute }: Pick<Writer, 'execute'>, before: () => Promise<void>): Pick<Writer, 'execute'> {
  let first: Promise<void> | undefined;
  return {
    async execute(...write) {
      first ??= before();
      await first;
      return execute(...write);
    },
  };
}

const ALL_READS = { ...READS, ...ALL_AUDIT_READS };

function storageOf(
  bindRead: Bind<Sql>,
  writer: Pick<Writer, 'execute'>,
  onCommit: Storage['onCommit'],
  close: () => Promise<void>,
): Storage {
  // Its methods are those of the port, so their arguments are those of the write.
  const bindWrite = ((_handler, name: WriteName) => writer.execute.bind(writer, name)) as Bind<WriteContext>;
  return { ...methodsOf(ALL_READS, bindRead), ...methodsOf(WRITES, bindWrite), onCommit, close };
}
