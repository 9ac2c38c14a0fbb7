import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll } from '@jest/globals';
import { openSqlite } from '@relaygate/server/storage/sqlite/sqlite';
import { openSqliteStorage } from '@relaygate/server/storage/sqlite/sqlite-storage';
import type { Storage } from '@relaygate/server/storage/storage';
import { folderForAll } from '../../support/processes/fresh-folder';
import { type StorageUnderTest, WRITER } from './storage-under-test';

/** Call it inside a `describe`. Each storage begins as a copy of an empty one, which takes less than to make its schema. */
export function sqliteOnFile(inline: boolean): StorageUnderTest & { newFile(): string } {
  const files = new WeakMap<Storage, string>();
  const folder = folderForAll('rg-storage-');
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
    await (await openFile(emptyFile())).close();
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
