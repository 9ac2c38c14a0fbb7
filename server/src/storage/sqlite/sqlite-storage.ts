import { existsSync } from 'node:fs';
import { dirname } from 'node:path';
import { type Clock, RelaygateError, STORAGE_WRITE_TIMEOUT_MS } from '@relaygate/shared';
import { systemClock } from '@relaygate/shared/system';
import { prepareDataFolder } from '../data-folder';
import { GroupCommit, LOCK_TRY_MS } from '../group-commit';
import type { Soon } from '../group-schedule';
import { inlineWriter } from '../inline-writer';
import { readHandlers } from '../read-handlers';
import type { Storage } from '../storage';
import type {
  ReadArgs,
  ReadHandlers,
  ReadName,
  ReadResults,
  WriteArgs,
  WriteName,
  WriteResults,
  Writer,
} from '../storage-write';
import { openReadConnection } from './connections';
import { IN_MEMORY, openDatabase } from './database-file';
import { MIGRATIONS } from './migrations';
import { asStorageError } from './sqlite-errors';
import { ThreadedWriter } from './threaded-writer';
import type { StartWriterThread } from './writer-thread';

export interface SqliteStorageOptions {
  /** Its folder is made if missing. `:memory:` with `inline` only. */
  file: string;
  /** Whose chain the audit records are appended to: the node's name, or `cli`. */
  writerName: string;
  /** Who runs the operator's command that opens it; all its audit records name them. */
  actor?: string | undefined;
  /** Fail with `database-unusable` where there is no database yet, instead of making one. */
  mustExist?: boolean;
  /** Everything on this thread, each write a transaction of its own. */
  inline?: boolean;
  /** With `:memory:`: what it begins with, so that many can be opened and the schema is made once. */
  image?: Buffer;
  /** How long a write may wait for the lock that another process holds. */
  writeTimeoutMs?: number;
  /** Of the system, unless `inline`: the writer thread reads the deadlines on that one. */
  clock?: Clock;
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
  if (options.mustExist && !existsSync(file)) {
    throw new RelaygateError('database-unusable', `There is no database at ${file}; is this the server's data folder?`);
  }
  if (file !== IN_MEMORY) prepareDataFolder(dirname(file));
  const db = openDatabase(file, MIGRATIONS, options.image);
  if (inline) {
    db.pragma(`busy_timeout = ${LOCK_TRY_MS}`);
    const nowMs = (): number => clock.nowMs();
    const group = new GroupCommit(db, writerName, nowMs, actor);
    return storageOf(readHandlers(db), inlineWriter(group, nowMs, writeTimeoutMs), async () => {
      db.close();
    });
  }
  const reader = openReadConnection(file);
  try {
    const { startThread, soon } = options;
    const writer = await ThreadedWriter.start({ file, writerName, actor, clock, writeTimeoutMs, startThread, soon });
    return storageOf(readHandlers(reader), writer, () => {
      // First: as the last connection, one that only reads would leave the write-ahead log behind.
      reader.close();
      return writer.close();
    });
  } catch (error) {
    reader.close();
    throw error;
  } finally {
    // It has set the file up; thread and reader have connections of their own.
    db.close();
  }
}

function storageOf(reads: ReadHandlers, writer: Writer, close: () => Promise<void>): Storage {
  const read =
    <Name extends ReadName>(name: Name) =>
    async (...args: ReadArgs[Name]): Promise<ReadResults[Name]> => {
      try {
        return reads[name](...args);
      } catch (error) {
        throw asStorageError(error);
      }
    };
  const write =
    <Name extends WriteName>(name: Name) =>
    (...args: WriteArgs[Name]): Promise<WriteResults[Name]> =>
      writer.execute(name, args);

  return {
    createClient: write('createClient'),
    listClients: read('listClients'),
    setClientActive: write('setClientActive'),
    findClient: read('findClient'),
    rotateClientKey: write('rotateClientKey'),
    isKeyActive: read('isKeyActive'),
    findClientKey: read('findClientKey'),

    createProduct: write('createProduct'),
    createProducts: write('createProducts'),
    listProducts: read('listProducts'),
    findProduct: read('findProduct'),
    setProductActivated: write('setProductActivated'),
    setOutputActivated: write('setOutputActivated'),
    rotateProductKey: write('rotateProductKey'),
    revokeDevice: write('revokeDevice'),
    associate: write('associate'),
    dissociate: write('dissociate'),
    isAssociated: read('isAssociated'),
    listAssociations: read('listAssociations'),

    enrolDevice: write('enrolDevice'),
    openLink: write('openLink'),
    closeLink: write('closeLink'),
    settleLink: write('settleLink'),
    closeAllLinks: write('closeAllLinks'),
    saveReport: write('saveReport'),
    keepHistory: write('keepHistory'),
    revocationCount: read('revocationCount'),
    revokedSince: read('revokedSince'),

    createFamily: write('createFamily'),
    findFamily: read('findFamily'),
    rotateFamily: write('rotateFamily'),
    revokeFamily: write('revokeFamily'),

    readAccess: read('readAccess'),
    recordCommand: write('recordCommand'),
    recordBoot: write('recordBoot'),
    recordOutcome: write('recordOutcome'),
    findCommand: read('findCommand'),
    findOpen: read('findOpen'),
    openCommands: read('openCommands'),
    interruptPending: write('interruptPending'),

    readAudit: read('readAudit'),
    auditWriters: read('auditWriters'),
    auditHeads: read('auditHeads'),
    listAudit: read('listAudit'),
    auditTotals: read('auditTotals'),
    probe: write('probe'),

    close,
  };
}
