import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { readAuditKey } from '@relaygate/server/files/audit-key';
import { openDatabase, openReadConnection, openWriteConnection } from '@relaygate/server/storage/sqlite/database-file';
import { MIGRATIONS } from '@relaygate/server/storage/sqlite/migrations';
import { Program } from '../../support/processes/program';
import { tamper } from '../../support/server/tamper';
import {
  backedUp,
  checkpointBy,
  dataDir,
  failDisk,
  file,
  filled,
  folder,
  forgeCheckpoint,
  forgedChain,
  opened,
  target,
} from './copies-bench';
import { client } from './samples';

describe('a backup', () => {
  test('is one whole private file with everything in it', async () => {
    await filled();
    const copy = await backedUp();
    expect(copy).toMatchObject({ databaseVersion: MIGRATIONS.length, audit: { records: 5, faults: 0 } });
    expect(statSync(target)).toMatchObject({ size: copy.sizeBytes });
    expect(statSync(target).mode & 0o777).toBe(0o600);
    expect(readdirSync(folder)).toEqual(['backup.db', 'data']);
    const db = openReadConnection(target);
    expect(db.prepare('SELECT client_id FROM clients').all()).toEqual([{ client_id: 'app' }]);
    db.close();
  });

  test('has what the write-ahead log alone has, of a database that is open', async () => {
    const storage = await opened();
    await storage.createClient(client('app'));
    await backedUp();
    await storage.close();
    const db = openReadConnection(target);
    expect(db.prepare('SELECT client_id FROM clients').all()).toEqual([{ client_id: 'app' }]);
    db.close();
  });

  test('is done beside a program that writes all the time, and holds a moment of it', async () => {
    await filled();
    const args = [file, 'node-1', 'c', '1000000'];
    const maker = await Program.start({ name: 'client maker', file: require.resolve('./client-maker'), args });
    try {
      await maker.line(/^c-200$/);
      const { audit } = await backedUp();
      expect(audit.faults).toBe(0);
      expect(audit.records).toBeGreaterThanOrEqual(203);
      expect(maker.running).toBe(true);
    } finally {
      maker.kill('SIGKILL');
      await maker.ended;
    }
  });

  test('is made beside what a killed run of the same process id has left, as in a container', async () => {
    await filled();
    const left = `${target}.half-${process.pid}`;
    writeFileSync(left, 'half a copy');
    expect((await backedUp()).audit.faults).toBe(0);
    expect(readFileSync(left, 'utf8')).toBe('half a copy');
  });

  test('never overwrites a file', async () => {
    await filled();
    writeFileSync(target, 'mine');
    await expect(backedUp()).rejects.toMatchObject({ code: 'already-exists' });
    expect(readFileSync(target, 'utf8')).toBe('mine');
    expect(readdirSync(folder)).toEqual(['backup.db', 'data']);
  });

  test('leaves nothing where it cannot be written', async () => {
    await filled();
    await expect(backedUp({}, join(folder, 'nowhere', 'backup.db'))).rejects.toMatchObject({
      code: 'folder-not-writable',
    });
    expect(readdirSync(folder)).toEqual(['data']);
  });

  test.each<[string, 'fsyncSync' | 'linkSync', number]>([
    ['does not sync the copy', 'fsyncSync', 1],
    ['does not name it', 'linkSync', 1],
    ['does not sync the name', 'fsyncSync', 2],
  ])('leaves nothing where the disk %s', async (_, name, nth) => {
    await filled();
    failDisk(name, nth);
    await expect(backedUp()).rejects.toMatchObject({ code: 'folder-not-writable' });
    expect(readdirSync(folder)).toEqual(['data']);
  });

  test('of a damaged database is refused, and leaves nothing', async () => {
    await filled();
    const db = openWriteConnection(file);
    db.pragma('foreign_keys = OFF');
    db.exec("DELETE FROM clients WHERE client_id = 'app'");
    db.close();
    await expect(backedUp()).rejects.toMatchObject({
      code: 'database-unusable',
      message: expect.stringContaining('is damaged'),
    });
    expect(readdirSync(folder)).toEqual(['data']);
  });

  test('of a broken audit is made, and says where it is broken', async () => {
    await filled();
    tamper(file, "UPDATE audit_log SET body = replace(body, 'app', 'apq') WHERE kind = 'client-created'");
    const { audit } = await backedUp();
    expect(audit).toMatchObject({ faults: 1, findings: [{ writer: 'cli', seq: 1, fault: 'changed' }] });
    expect(existsSync(target)).toBe(true);
  });

  test.each<[string, string[], string]>([
    [
      'triggers of the same names that do nothing',
      ['DROP TRIGGER audit_log_stay', 'CREATE TRIGGER audit_log_stay BEFORE DELETE ON audit_log BEGIN SELECT 1; END'],
      'totals',
    ],
    [
      'a trigger that drops records',
      ['CREATE TRIGGER more BEFORE INSERT ON audit_log BEGIN SELECT RAISE(IGNORE); END'],
      'totals',
    ],
    ['a head that is gone', ["DELETE FROM audit_writers WHERE name = 'cli'"], 'added'],
    ['a chain of a writer that never was', [forgedChain()], 'forged-writer'],
  ])('says what is wrong with %s', async (_, statements, fault) => {
    await filled();
    const db = openWriteConnection(file);
    for (const statement of statements) db.exec(statement);
    db.close();
    expect((await backedUp()).audit.findings[0]).toMatchObject({ fault });
  });

  test('says which checkpoint in it was forged, by the key of the data folder', async () => {
    await filled();
    await forgeCheckpoint(file);
    const { audit } = await backedUp({ key: readAuditKey(dataDir) });
    expect(audit.findings).toMatchObject([{ writer: 'cli', seq: 4, fault: 'bad-mac' }]);
  });

  test('says that records were cut off, by the newest checkpoint', async () => {
    await filled();
    const key = readAuditKey(dataDir);
    if (!key) throw new Error('there is no key');
    const checkpoint = await checkpointBy(key);
    // Both the checkpoint and the record before it, with the note of them.
    tamper(
      file,
      'DELETE FROM audit_log WHERE writer = 2 AND seq > 2',
      'UPDATE audit_writers SET (seq, hash) = (SELECT seq, hash FROM audit_log WHERE writer = 2 AND seq = 2) WHERE writer = 2',
    );
    expect((await backedUp({ key })).audit.findings.filter(({ fault }) => fault === 'cut')).toEqual([]);
    rmSync(target);
    expect((await backedUp({ key, checkpoint })).audit.findings).toContainEqual(
      expect.objectContaining({ writer: 'cli', seq: 3, fault: 'cut' }),
    );
  });

  test('does not migrate the database that it copies', async () => {
    mkdirSync(dataDir);
    openDatabase(file, MIGRATIONS.slice(0, 1)).close();
    expect(await backedUp()).toMatchObject({ databaseVersion: 1 });
    expect(readdirSync(dataDir)).toEqual(['relaygate.db']);
  });
});
