import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe } from '@jest/globals';
import { openSqliteStorage } from '@relaygate/server/storage/sqlite/sqlite-storage';
import type { Storage } from '@relaygate/server/storage/storage';
import { MemoryChanges } from '../../support/server/memory-changes';
import { NOW_MS, product } from '../storage/samples';
import { type ChangesUnderTest, changeStreamContract, PRODUCTS } from './change-stream-contract';

describe('over a store in memory', () =>
  changeStreamContract(async () => {
    const store = new MemoryChanges();
    return {
      store,
      turn: (productLogin) => store.turn(productLogin),
      turnElsewhere: (productLogin) => store.turnElsewhere(productLogin),
      close: async () => {},
    };
  }));

describe('over SQLite with a writer thread', () => changeStreamContract(onSqlite));

async function onSqlite(): Promise<ChangesUnderTest> {
  const folder = mkdtempSync(join(tmpdir(), 'rg-changes-'));
  const file = join(folder, 'relaygate.db');
  const server = await openSqliteStorage({ file, writerName: 'node-1' });
  const cli = await openSqliteStorage({ file, writerName: 'cli', inline: true });
  const products = PRODUCTS.map((productLogin, productId) => product(productLogin, { productId, activated: false }));
  await server.createProducts(products);
  return {
    store: server,
    turn: (productLogin) => turn(server, productLogin),
    turnElsewhere: (productLogin) => turn(cli, productLogin),
    async close() {
      await server.close();
      await cli.close();
      rmSync(folder, { recursive: true });
    },
  };
}

async function turn(storage: Storage, productLogin: string): Promise<void> {
  const found = await storage.findProduct(productLogin);
  await storage.setProductActivated(productLogin, !found?.activated, NOW_MS);
}
