import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { openPostgresStorage } from '@relaygate/server/storage/postgresql/postgres-storage';
import type { Storage } from '@relaygate/server/storage/storage';
import { describeWhere } from '../../support/processes/needs';
import { eventsIn } from '../../support/server/audit-records';
import { missingPostgres, PostgresServer } from '../../support/server/postgres-server';
import { firstFault } from './first-fault';
import { withAppAndGate } from './samples';
import { storageContract } from './storage-contract';
import { type StorageUnderTest, WRITER } from './storage-under-test';

describeWhere(missingPostgres())('PostgreSQL', () => {
  let server: PostgresServer;
  beforeAll(async () => {
    server = await PostgresServer.start();
  });
  afterAll(() => server.remove());

  const urls = new WeakMap<Storage, string>();
  const openUrl = async (url: string): Promise<Storage> => {
    const storage = await openPostgresStorage({ url, writerName: WRITER, isServer: true });
    urls.set(storage, url);
    return storage;
  };
  const adapter: StorageUnderTest = {
    open: async () => openUrl(await server.newDatabase()),
    async reopen(storage) {
      await storage.close();
      return openUrl(urls.get(storage) ?? '');
    },
    execute: (storage, statement) => server.query(new URL(urls.get(storage) ?? '').pathname.slice(1), statement),
  };
  storageContract(adapter);

  test('names who opened it in each of its audit records', async () => {
    const url = await server.newDatabase();
    const storage = await openPostgresStorage({ url, writerName: WRITER, actor: 'cli as ana' });
    await withAppAndGate(storage);
    expect((await eventsIn(storage)).map((row) => row.actor)).toEqual(Array(3).fill('cli as ana'));
    expect(await firstFault(storage)).toBeUndefined();
    await storage.close();
  });
});
