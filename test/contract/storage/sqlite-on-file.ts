import { copyFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll } from '@jest/globals';
import { openSqlite } from '@relaygate/server/storage/sqlite/sqlite';
import { openSqliteStorage } from '@relaygate/server/storage/sqlite/sqlite-storage';
import type { Storage } from '@relaygate/server/storage/storage';
import { type StorageUnderTest, WRITER } from './storage-under-test';

/** Call it inside a `describe`. Each storage begins as a copy of an empty one, which takes less than to make its schema. */
export function sqliteOnFile(inline: boolean): StorageUnderTest & { newFile(): string } {
  const files = new WeakMap<Storage, string>();
  let folder: string;
  let count = 0;
  const openFile = async (file: string): Promise<Storage> => {
    const storage = await openSqliteStorage({ file, writerName: WRITER, inline });
    files.set(storage, file);
    return storage;
  };
  const emptyFile = (): string => join(folder, 'empty.db');
  const newFile = (): string => {
    count += 1;
    const file = join(folder, `${count}.db`);
    copyFileSync(emptyFile(), file);
    return file;
  };
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'rg-storage-'));
    await (await openFile(emptyFile())).close();
  });
  afterAll(() => {
    rmSync(folder, { recursive: true, force: true });
  });
  return {
    newFile,
    open: () => openFile(newFile()),
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
