import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { openDatabase } from '@relaygate/server/storage/sqlite/database-file';
import { MIGRATIONS } from '@relaygate/server/storage/sqlite/migrations';
import { openSqliteStorage } from '@relaygate/server/storage/sqlite/sqlite-storage';
import { folderForEach } from '../../support/processes/fresh-folder';
import { NOW_MS, product } from '../storage/samples';

/** Who numbers what changes, in one file. */
const file = join(folderForEach('rg-writers-'), 'relaygate.db');

test('programs of one name that write in turns never give a number twice, and each name has its own', async () => {
  const open = (writerName: string) => openSqliteStorage({ file, writerName, inline: true });
  const programs = [await open('cli'), await open('cli'), await open('node-1')];
  for (let productId = 0; productId < 9; productId += 1) {
    await programs[productId % 3]?.createProduct(product(`p${productId}`, { productId, outputCount: 1 }));
  }
  const { changes, cursor } = await (programs[0] ?? (await open('cli'))).changesSince(new Map(), 100);
  const ofCli = changes.filter(({ revisedBy }) => revisedBy === changes[0]?.revisedBy);
  expect(ofCli.map(({ revision }) => revision)).toEqual(Array.from({ length: 12 }, (_, n) => n + 1));
  expect([...cursor.values()]).toEqual([12, 4 + 6]);
  for (const program of programs) await program.close();
});

test('what a database had before it numbered changes goes to a listener that has seen nothing', async () => {
  const before = openDatabase(file, MIGRATIONS.slice(0, 10));
  const products = `INSERT INTO products (product_login, key_hash, enrolment_hash, activated, created_at_ms)
    VALUES ('gate', '', '', 1, ${NOW_MS}), ('door', '', '', 0, ${NOW_MS})`;
  before.exec(products);
  before.exec("INSERT INTO outputs (product_login, num_output, activated) VALUES ('door', 0, 0), ('gate', 0, 1)");
  before.close();
  const storage = await openSqliteStorage({ file, writerName: 'node-1', inline: true });
  const first = await storage.changesSince(new Map(), 3);
  const rest = await storage.changesSince(first.cursor, 3);
  const all = [...first.changes, ...rest.changes];
  expect(all.map((change) => (change.kind === 'command' ? '' : `${change.kind} ${change.productLogin}`))).toEqual([
    ...['product gate', 'product door', 'output door', 'output gate'],
  ]);
  await storage.setProductActivated('gate', false, NOW_MS);
  const { changes } = await storage.changesSince(rest.cursor, 3);
  expect(changes).toMatchObject([{ kind: 'product', productLogin: 'gate', activated: false }]);
  await storage.close();
});
