import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { openSqlite } from '@relaygate/server/storage/sqlite/sqlite';
import { openSqliteStorage } from '@relaygate/server/storage/sqlite/sqlite-storage';
import type { Storage } from '@relaygate/server/storage/storage';
import { eventsIn } from '../../support/server/audit-records';
import { firstFault } from './first-fault';
import { withAppAndGate } from './samples';
import { storageContract } from './storage-contract';
import { type StorageUnderTest, WRITER } from './storage-under-test';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'rg-storage-'));
});
afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

function onFile(inline: boolean): StorageUnderTest {
  const files = new WeakMap<Storage, string>();
  let count = 0;
  const openFile = async (file: string): Promise<Storage> => {
    const storage = await openSqliteStorage({ file, writerName: WRITER, inline });
    files.set(storage, file);
    return storage;
  };
  return {
    open() {
      count += 1;
      return openFile(join(folder, `${inline ? 'inline' : 'thread'}-${count}.db`));
    },
    async reopen(storage) {
      await storage.close();
      return openFile(files.get(storage) ?? '');
    },
    async execute(storage, statement) {
      const db = openSqlite(files.get(storage));
      db.exec(statement);
      db.close();
    },
  };
}

describe('SQLite with a writer thread, on a file', () => storageContract(onFile(false)));
describe('SQLite inline, on a file', () => storageContract(onFile(true)));
describe('SQLite inline, in memory', () =>
  storageContract({ open: () => openSqliteStorage({ file: ':memory:', writerName: WRITER, inline: true }) }));

test.each([[true], [false]])('names who opened it in each of its audit records (inline: %p)', async (inline) => {
  const file = join(folder, `actor-${inline}.db`);
  const storage = await openSqliteStorage({ file, writerName: WRITER, actor: 'cli as ana', inline });
  await withAppAndGate(storage);
  expect((await eventsIn(storage)).map((row) => row.actor)).toEqual(Array(3).fill('cli as ana'));
  expect(await firstFault(storage)).toBeUndefined();
  await storage.close();
});
