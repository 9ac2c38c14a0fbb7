/** A data folder with a database, and copies of it; each test has its own. */
import type { KeyObject } from 'node:crypto';
import fs, { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, jest } from '@jest/globals';
import { recordHash } from '@relaygate/server/audit/audit-record';
import { type Checkpoint, checkpointEntry, signCheckpoint } from '@relaygate/server/audit/checkpoint';
import type { OutsideEvidence } from '@relaygate/server/audit/kept-outside';
import type { CopyProgress } from '@relaygate/server/checked-copy';
import { backUp } from '@relaygate/server/copies/back-up';
import { restore } from '@relaygate/server/copies/restore';
import { openAuditKey } from '@relaygate/server/files/audit-key';
import { checkpointFile } from '@relaygate/server/files/checkpoint-file';
import { AuditTrail } from '@relaygate/server/storage/audit-trail';
import { openWriteConnection } from '@relaygate/server/storage/sqlite/database-file';
import { writeSqlOf } from '@relaygate/server/storage/sqlite/sqlite';
import { openSqliteStorage } from '@relaygate/server/storage/sqlite/sqlite-storage';
import type { Storage } from '@relaygate/server/storage/storage';
import { systemRandomness } from '@relaygate/shared/system';
import { folderForEach } from '../../support/processes/fresh-folder';
import { NOW_MS, withAppAndGate } from './samples';

export const folder = folderForEach('rg-copies-');
export const dataDir = join(folder, 'data');
export const file = join(dataDir, 'relaygate.db');
export const target = join(folder, 'backup.db');
afterEach(() => void jest.restoreAllMocks());

/** The disk fails at the `nth` call of this function, once. */
export function failDisk(name: 'fsyncSync' | 'linkSync' | 'renameSync', nth: number): void {
  const real = fs[name];
  let calls = 0;
  jest.spyOn(fs, name).mockImplementation((...args: unknown[]) => {
    calls += 1;
    if (calls === nth) throw Object.assign(new Error('EIO: i/o error'), { code: 'EIO' });
    Reflect.apply(real, fs, args);
  });
}

export const silent: CopyProgress = { copied() {}, verified() {}, migrated() {} };
export const opened = (): Promise<Storage> => openSqliteStorage({ file, writerName: 'cli', inline: true });
export const backedUp = (evidence: OutsideEvidence = {}, to = target) => backUp(dataDir, to, silent, evidence);
export const restored = (isNew = !existsSync(file), atMs = NOW_MS) =>
  restore(target, {
    dataDir,
    writerName: 'cli',
    actor: 'cli as ana',
    atMs,
    progress: silent,
    isNew,
    randomness: systemRandomness,
    checkpointFile: checkpointFile({ dataDir }),
  });

export async function filled(fill: (storage: Storage) => Promise<unknown> = withAppAndGate): Promise<void> {
  const storage = await opened();
  await fill(storage);
  await storage.close();
  // As the server's first start makes it.
  await openAuditKey(dataDir, systemRandomness, async () => {});
}

/** By somebody who does not have the key: sound but for its MAC. */
export async function forgeCheckpoint(path: string): Promise<void> {
  const db = openWriteConnection(path);
  const connection = writeSqlOf(db);
  const trail = new AuditTrail(connection, { writerName: 'cli', actor: undefined, randomness: systemRandomness });
  const key = await openAuditKey(dataDir, systemRandomness, async () => {});
  await connection.begin();
  const checkpoint = signCheckpoint(key, NOW_MS, await trail.heads(NOW_MS));
  await trail.append(checkpointEntry({ ...checkpoint, mac: '0'.repeat(64) }));
  await trail.keepHead();
  await connection.commit();
  db.close();
}

export async function checkpointBy(key: KeyObject): Promise<Checkpoint> {
  const storage = await opened();
  const checkpoint = await storage.appendCheckpoint(key, NOW_MS);
  await storage.close();
  return checkpoint;
}

export async function clientNames(): Promise<string[]> {
  const storage = await opened();
  const clients = await storage.listClients('', 1000);
  await storage.close();
  return clients.map(({ clientId }) => clientId);
}

/** Of a writer that no record has added; sound in itself. */
export function forgedChain(): string {
  const forged = { writer: 9, seq: 1, kind: 'associated', atMs: NOW_MS, body: '{}' };
  return `INSERT INTO audit_log (writer, seq, kind, at_ms, body, hash)
    VALUES (9, 1, 'associated', ${NOW_MS}, '{}', '${recordHash('0'.repeat(64), forged)}')`;
}
