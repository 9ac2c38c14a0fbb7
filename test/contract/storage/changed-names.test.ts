import { createSecretKey } from 'node:crypto';
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { archiveAudit } from '@relaygate/server/audit/archive-audit';
import { verifyAudit } from '@relaygate/server/audit/verify-audit';
import { archiveFiles } from '@relaygate/server/files/archive-file';
import { openDatabase, openWriteConnection } from '@relaygate/server/storage/sqlite/database-file';
import { MIGRATIONS } from '@relaygate/server/storage/sqlite/migrations';
import { openSqliteStorage } from '@relaygate/server/storage/sqlite/sqlite-storage';
import type { Storage } from '@relaygate/server/storage/storage';
import { folderForEach } from '../../support/processes/fresh-folder';
import { eventsIn } from '../../support/server/audit-records';
import { firstFault } from './first-fault';
import { client, NOW_MS, withLinkedGate } from './samples';

/** Names stand beside the audit and can be erased, but somebody who can write the database cannot change them. */

const BEFORE = MIGRATIONS.findIndex((step) => step.includes('name_salt'));
const folder = folderForEach('rg-names-');
const file = join(folder, 'relaygate.db');

async function withStorage<Result>(use: (storage: Storage) => Promise<Result>, actor?: string): Promise<Result> {
  const storage = await openSqliteStorage({ file, writerName: 'cli', actor, inline: true });
  try {
    return await use(storage);
  } finally {
    await storage.close();
  }
}

async function fill(storage: Storage): Promise<void> {
  await withLinkedGate(storage);
  await storage.createClient(client('other'));
}

async function keepHistory(storage: Storage): Promise<void> {
  const entry = { seq: 1, actor: 'bo', kind: 'lock', changes: [], atMs: null, bootId: 'b', bootMs: 1 };
  await storage.keepHistory('gate', 1, { historyId: 'history-of-card1', entries: [entry], atMs: NOW_MS });
}

function change(statement: string): void {
  const db = openWriteConnection(file);
  try {
    db.exec(statement);
  } finally {
    db.close();
  }
}

test.each<[string, string, RegExp]>([
  ['an operator', "UPDATE audit_names SET name = 'cli as eve' WHERE name = 'cli as ana'", /records .* cli as eve$/],
  ['a technician', "UPDATE audit_names SET name = 'eve' WHERE name = 'bo'", /records .* eve$/],
  [
    'an operator with a salt of another name',
    "UPDATE audit_names SET name = 'cli as eve', salt = (SELECT salt FROM audit_names WHERE name = 'bo') WHERE name = 'cli as ana'",
    /records .* cli as eve$/,
  ],
  [
    'an operator whose salt is gone',
    "UPDATE audit_names SET name = 'cli as eve', salt = NULL WHERE name = 'cli as ana'",
    /records .* cli as eve$/,
  ],
  ['a client', "UPDATE clients SET name = 'Eve' WHERE client_id = 'app'", /client app .* created as Eve$/],
  [
    'a client whose salt is gone',
    "UPDATE clients SET name = 'Eve', name_salt = NULL WHERE client_id = 'app'",
    /client app .* created as Eve$/,
  ],
  [
    'two clients that have changed names',
    `UPDATE clients SET name = 'between' WHERE client_id = 'app';
     UPDATE clients SET name = 'name of app' WHERE client_id = 'other';
     UPDATE clients SET name = 'name of other' WHERE client_id = 'app'`,
    /client app .* created as name of other$/,
  ],
])('the name of %s is changed, and that is found', async (_, statement, expected) => {
  await withStorage(fill, 'cli as ana');
  await withStorage(keepHistory);
  expect(await withStorage(firstFault)).toBeUndefined();
  change(statement);
  expect(await withStorage(firstFault)).toMatch(expected);
});

test.each<[string, string, RegExp]>([
  [
    'of an operator',
    "UPDATE audit_names SET name = NULL, salt = NULL WHERE name = 'cli as ana'",
    /^2 names .* but records say so of 1 only$/,
  ],
  ['of everybody', 'UPDATE audit_names SET name = NULL, salt = NULL', /^3 names .* but records say so of 1 only$/],
  [
    'of a client',
    `UPDATE clients SET name = '(erased) app', name_salt = NULL WHERE client_id = 'app'`,
    /client app was erased/,
  ],
  ['of an operator with its row', "DELETE FROM audit_names WHERE name = 'cli as ana'", /person [-\w]{32} was removed/],
  ['of a technician with its row', "DELETE FROM audit_names WHERE name = 'bo'", /person [-\w]{32} was removed/],
])('the name %s is erased without a record, and that is found', async (_, statement, expected) => {
  await withStorage(fill, 'cli as ana');
  await withStorage(keepHistory);
  await withStorage((storage) => storage.createClient(client('third')), 'cli as eve');
  await withStorage(async (storage) => {
    expect(await storage.erasePerson('eve', NOW_MS)).toBe(1);
    expect(await storage.eraseClientName('other', NOW_MS)).toBe(true);
    expect(await firstFault(storage)).toBeUndefined();
  });
  change(statement);
  expect(await withStorage(firstFault)).toMatch(expected);
});

test('who erases his own name, and is on record by that alone, is no fault', async () => {
  await withStorage(fill);
  await withStorage(keepHistory);
  await withStorage(async (storage) => {
    expect(await storage.erasePerson('bo', NOW_MS)).toBe(2);
    expect(await firstFault(storage)).toBeUndefined();
  }, 'cli as bo');
});

test('a name whose erasing is recorded in an archive is no fault, whether the archive is read or not', async () => {
  const archive = join(folder, 'a.gz');
  const key = createSecretKey(Buffer.alloc(32, 7));
  const findings = (...archives: string[]) =>
    withStorage(async (storage) => {
      const given = archives.flatMap((one) => archiveFiles.open(one) ?? []);
      return (await verifyAudit(storage, { key, archives: given })).findings.map(({ text }) => text);
    });
  await withStorage(fill, 'cli as ana');
  await withStorage(async (storage) => {
    await storage.erasePerson('ana', NOW_MS);
    await storage.eraseClientName('app', NOW_MS);
    const progress = { written() {}, verified() {}, removed() {} };
    const wallClock = { epochMs: () => NOW_MS + 1 };
    const deps = { store: storage, files: archiveFiles, key, wallClock, pause: async () => {}, progress };
    await archiveAudit(deps, { beforeMs: NOW_MS + 1, file: archive });
  });
  expect([await findings(), await findings(archive)]).toEqual([[], []]);
  change("UPDATE clients SET name = '(erased) other', name_salt = NULL WHERE client_id = 'other'");
  expect(await findings(archive)).toEqual([expect.stringContaining('client other was erased')]);
});

test('names that were erased are no fault, and who comes again has another id', async () => {
  await withStorage(async (storage) => {
    await fill(storage);
    expect(await storage.erasePerson('ana', NOW_MS)).toBe(1);
    expect(await storage.eraseClientName('app', NOW_MS)).toBe(true);
    expect(await firstFault(storage)).toBeUndefined();
    await storage.createClient(client('third'));
    expect(await firstFault(storage)).toBeUndefined();
    const rows = await eventsIn(storage, 'client-created');
    expect(rows.map(({ clientId, actor }) => [clientId, actor])).toEqual([
      ['app', '(erased)'],
      ['other', '(erased)'],
      ['third', 'cli as ana'],
    ]);
  }, 'cli as ana');
  const kept = readFileSync(file, 'latin1');
  expect(kept).not.toContain('name of app');
});

test('a record says neither the name nor its salt, and the same name has another id in another database', async () => {
  const ids: string[] = [];
  for (let round = 0; round < 2; round += 1) {
    const records = await withStorage(async (storage) => {
      await storage.createClient(client('app'));
      const { people } = await storage.auditNames();
      const texts = (await storage.readAudit(0, 100)).map(({ body }) => body).join();
      for (const { name, salt } of people) for (const said of [name, salt]) expect(texts).not.toContain(said);
      return texts;
    }, 'cli as ana');
    ids.push(/"actor":"([^"]{32})"/.exec(records)?.[1] ?? '');
    rmSync(file);
  }
  expect(new Set(ids).size).toBe(2);
});

/** As a program of before left it: people are counted. */
function withCountedNames(): void {
  const db = openDatabase(file, MIGRATIONS.slice(0, BEFORE));
  db.exec("INSERT INTO clients VALUES ('app', 'Desk', 'k1', 'aa', 1, 0)");
  db.exec("INSERT INTO audit_names VALUES (1, 'cli as ana'), (2, NULL)");
  const padding = Array.from({ length: 200 }, (_, n) => `(${n + 3}, 'cli as somebody else, the ${n}th of many')`);
  db.exec(`INSERT INTO audit_names VALUES ${padding.join()}`);
  db.close();
}

test('names of before stay readable and are in no page of the file once they are erased', async () => {
  withCountedNames();
  await withStorage(async (storage) => {
    expect((await storage.auditNames()).people).toContainEqual({ id: '1', name: 'cli as ana', salt: null });
    expect(await storage.erasePerson('ana', NOW_MS)).toBe(1);
  }, 'cli as bo');
  expect(readFileSync(file, 'latin1')).not.toContain('cli as ana');
});

test('names and salts that a server wrote are in no page of the file once they are erased', async () => {
  const server = await openSqliteStorage({ file, writerName: 'node-1' });
  await withLinkedGate(server);
  // So many that pages are split, which leaves copies of names where no row is.
  const entries = Array.from({ length: 400 }, (_, n) => {
    const entry = { seq: n + 1, actor: `page ${n} as technician`, kind: 'lock', changes: [], atMs: null };
    return { ...entry, bootId: 'b', bootMs: 1 };
  });
  await server.keepHistory('gate', 1, { historyId: 'history-of-card1', entries, atMs: NOW_MS });
  const { people } = await server.auditNames();
  await server.close();
  expect(await withStorage((storage) => storage.erasePerson('technician', NOW_MS))).toBe(400);
  const kept = readFileSync(file, 'latin1');
  expect(people.flatMap(({ name, salt }) => [name, salt]).filter((said) => kept.includes(String(said)))).toEqual([]);
});
