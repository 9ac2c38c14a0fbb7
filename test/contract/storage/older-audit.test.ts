import { createSecretKey } from 'node:crypto';
import { join } from 'node:path';
import { beforeEach, expect, test } from '@jest/globals';
import { verifyAudit } from '@relaygate/server/audit/verify-audit';
import { openDatabase, openWriteConnection } from '@relaygate/server/storage/sqlite/database-file';
import { MIGRATIONS } from '@relaygate/server/storage/sqlite/migrations';
import { openSqliteStorage } from '@relaygate/server/storage/sqlite/sqlite-storage';
import type { Storage } from '@relaygate/server/storage/storage';
import { folderForEach } from '../../support/processes/fresh-folder';
import { eventsIn } from '../../support/server/audit-records';
import { type OldRecord, writeOldRecords } from '../../support/server/first-format-records';
import { tamper } from '../../support/server/tamper';
import { client, command, NOW_MS, outcome } from './samples';

/** A database whose audit is of the first format, as a program of before left it; a later one goes on with it. */

const BEFORE = MIGRATIONS.findIndex((step) => step.includes('CREATE TABLE audit_log'));
const folder = folderForEach('rg-older-');
const file = join(folder, 'relaygate.db');
let noted: OldRecord;
beforeEach(() => {
  const db = openDatabase(file, MIGRATIONS.slice(0, BEFORE));
  db.exec("INSERT INTO clients VALUES ('app', 'Desk', 'k1', 'aa', 1, 0)");
  db.exec(`INSERT INTO products (product_id, product_login, key_hash, enrolment_hash, activated, created_at_ms)
    VALUES (7, 'gate', '', '', 1, 0)`);
  const about = { atMs: NOW_MS - 9, actor: 'cli as ana' };
  writeOldRecords(db, 'cli', [
    { kind: 'client-created', ...about, clientId: 'app', details: { name: 'Desk' } } as { kind: string },
    { kind: 'product-created', ...about, productLogin: 'gate' } as { kind: string },
  ]);
  const asked = { numOutput: 1, action: 'set', state: 1, bootId: null, outcome: 'pending', reason: null };
  const gate = { atMs: NOW_MS - 5, productLogin: 'gate', commandId: 'old' };
  const [, last] = writeOldRecords(db, 'node-1', [
    { kind: 'command', ...gate, clientId: 'app', details: asked } as { kind: string },
    { kind: 'outcome', ...gate, details: { outcome: 'executed', reason: null } } as { kind: string },
  ]);
  if (!last) throw new Error('nothing was written');
  noted = last;
  // As the step before this one has it of a database that is older still.
  db.exec(`INSERT INTO commands (command_id, product_id, actor, actor_id, num_output, action, accepted_at_ms, outcome, open)
    VALUES ('old', 7, 'client', 'app', 1, 'set', 0, 'executed', 0)`);
  db.close();
});

const opened = (writerName = 'node-1') => openSqliteStorage({ file, writerName, inline: true });

async function withOpened<Result>(use: (storage: Storage) => Promise<Result>): Promise<Result> {
  const storage = await opened();
  try {
    return await use(storage);
  } finally {
    await storage.close();
  }
}

/** One record of each writer, and one of a new one. */
async function goOn(): Promise<void> {
  for (const writer of ['node-1', 'cli', 'node-2']) {
    const storage = await opened(writer);
    await storage.createClient(client(`of ${writer}`));
    await storage.close();
  }
}

const found = (outside = {}) =>
  withOpened(async (storage) =>
    (await verifyAudit(storage, outside)).findings.map(({ writer, seq, fault }) => `${writer} ${seq} ${fault}`),
  );

test('a program that still writes the first format cannot', async () => {
  await goOn();
  const db = openWriteConnection(file);
  const insert = () => writeOldRecords(db, 'node-3', [{ kind: 'associated' }]);
  expect(insert).toThrow('records of the first format are no longer written');
  db.close();
  expect(await found()).toEqual([]);
});

test('whoever removes what keeps such records out is found', async () => {
  const db = openWriteConnection(file);
  await goOn();
  db.exec('DROP TRIGGER audit_records_end');
  db.close();
  expect(await found()).toEqual(['null null totals']);
});

test('it is sound before and behind its first record of the second format', async () => {
  expect(await found()).toEqual([]);
  await goOn();
  expect(await found()).toEqual([]);
  const { writer, seq, hash } = noted;
  expect(await found({ expected: [{ writer, seq, hash }] })).toEqual([]);
});

test('ids and each chain go on behind the old ones, and the old ones are listed as before', async () => {
  await goOn();
  await withOpened(async (storage) => {
    await storage.recordCommand(command('new'));
    await storage.recordOutcome(outcome('new'));
    const rows = await eventsIn(storage);
    expect(rows.map(({ id, writer, seq, kind }) => `${id} ${writer} ${seq} ${kind}`)).toEqual([
      '1 cli 1 client-created',
      '2 cli 2 product-created',
      '3 node-1 1 command',
      '4 node-1 2 outcome',
      '7 node-1 3 client-created',
      '9 cli 3 client-created',
      '11 node-2 1 client-created',
      '12 node-1 4 command',
      '13 node-1 5 outcome',
    ]);
    expect(rows[1]).toMatchObject({ productLogin: 'gate', actor: 'cli as ana' });
    expect(rows[3]).toMatchObject({ productLogin: 'gate', clientId: 'app', details: { outcome: 'executed' } });
    expect(rows.at(-1)).toMatchObject({ productLogin: 'gate', clientId: 'app', details: { outcome: 'executed' } });
  });
});

test('a checkpoint holds the ends of all chains, so that none is due while nothing is appended', async () => {
  const key = createSecretKey(Buffer.alloc(32, 1));
  const checkpoint = await withOpened(async (storage) => {
    const made = await storage.appendCheckpoint(key, NOW_MS);
    expect(new Set(made.heads)).toEqual(new Set(await storage.auditHeads()));
    return made;
  });
  expect(checkpoint.heads.map(({ writer, seq }) => `${writer} ${seq}`)).toEqual(['@writers 2', 'cli 2', 'node-1 3']);
  expect(await found({ key, checkpoint })).toEqual([]);
});

test('nobody changes or removes the old records', async () => {
  await goOn();
  const db = openWriteConnection(file);
  expect(() => db.exec("UPDATE audit_records SET body = ''")).toThrow(/never changed/);
  expect(() => db.exec('DELETE FROM audit_records')).toThrow(/never deleted/);
  db.close();
});

test.each<[string, string[], string[]]>([
  ['a text', ["UPDATE audit_records SET body = replace(body, 'gate', 'door') WHERE id = 2"], ['cli 2 changed']],
  ['an end', ['DELETE FROM audit_records WHERE id = 4'], ['node-1 2 missing', 'null null totals']],
  [
    'an end with its head',
    [
      'DELETE FROM audit_records WHERE id = 4',
      "UPDATE audit_heads SET seq = 1, hash = (SELECT hash FROM audit_records WHERE id = 3) WHERE writer = 'node-1'",
    ],
    ['node-1 2 missing', 'null null totals'],
  ],
  ['a whole chain', ["DELETE FROM audit_records WHERE writer = 'node-1'"], ['node-1 1 missing', 'null null totals']],
  [
    'the record that ends the first format',
    ['DELETE FROM audit_log WHERE id = 5'],
    ['@writers 1 missing', 'null null totals'],
  ],
])('%s that somebody changed or removed since is named', async (_, statements, expected) => {
  await goOn();
  tamper(file, ...statements);
  expect(await found()).toEqual(expected);
});
