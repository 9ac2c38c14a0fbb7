import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import type { AuditEntry } from '@relaygate/server/audit/audit-record';
import { methodsOf } from '@relaygate/server/storage/sql';
import { openDatabase, openReadConnection, openWriteConnection } from '@relaygate/server/storage/sqlite/database-file';
import { MIGRATIONS } from '@relaygate/server/storage/sqlite/migrations';
import { sqlOf } from '@relaygate/server/storage/sqlite/sqlite';
import { openSqliteStorage } from '@relaygate/server/storage/sqlite/sqlite-storage';
import { ALL_AUDIT_READS } from '@relaygate/server/storage/sqlite/versioned-audit';
import { folderForEach } from '../../support/processes/fresh-folder';
import { writeOldRecords } from '../../support/server/first-format-records';
import { firstFault } from './first-fault';
import { NOW_MS, outcome } from './samples';

const folder = folderForEach('rg-older-');
const file = join(folder, 'relaygate.db');

/** Of the product that a test adds by hand; a command without its record would be reported first. */
const NO_CREATION = 'there are 1 products, but records of the creation of 0';

const opened = () => openSqliteStorage({ file, writerName: 'node-1', inline: true });

describe('the commands of a database from before they had a table', () => {
  const BEFORE = MIGRATIONS.findIndex((step) => step.includes('CREATE TABLE commands'));
  const entry = (
    kind: 'command' | 'outcome',
    commandId: string,
    atMs: number,
    details: Record<string, string | number | null>,
  ) => ({
    kind,
    commandId,
    atMs,
    productLogin: 'gate',
    ...(kind === 'command' ? { clientId: 'app' } : {}),
    details,
  });
  const asked = (commandId: string, atMs: number, outcome = 'pending', reason: string | null = null) =>
    entry('command', commandId, atMs, { numOutput: 1, action: 'set', state: 0, bootId: 'boot-1', outcome, reason });
  const resolved = (commandId: string, atMs: number, outcome: string, reason: string | null = null) =>
    entry('outcome', commandId, atMs, { outcome, reason, numOutput: 1, state: 0 });

  /** As the program of before wrote it. */
  function write(entries: readonly AuditEntry[], open: readonly [commandId: string, bootId: string][]): void {
    const db = openDatabase(file, MIGRATIONS.slice(0, BEFORE));
    db.exec(`INSERT INTO products (product_id, product_login, key_hash, enrolment_hash, activated, created_at_ms)
      VALUES (7, 'gate', '', '', 1, 0)`);
    writeOldRecords(db, 'node-1', entries);
    const add = db.prepare("INSERT INTO open_commands VALUES (?, 'gate', 'node-1', ?, 0, 0)");
    for (const row of open) add.run(...row);
    db.close();
  }

  test('that is verified without being migrated has its totals', async () => {
    write(
      [asked('lost', 10)],
      [
        ['lost', 'boot-1'],
        ['added', 'boot-1'],
      ],
    );
    const db = openReadConnection(file);
    const { auditFacts } = methodsOf(
      ALL_AUDIT_READS,
      (read) =>
        (...args) =>
          read(sqlOf(db), ...args),
    );
    expect((await auditFacts()).openCommands).toEqual(expect.arrayContaining(['lost', 'added']));
    db.close();
  });

  test('each has its latest outcome, and those that were open still are', async () => {
    write(
      [
        asked('done', 10),
        asked('unlinked', 20, 'expired', 'not-linked'),
        asked('late', 30),
        resolved('done', 40, 'executed'),
        asked('lost', 50),
        resolved('late', 60, 'unknown', 'no-confirmation'),
        resolved('late', 90, 'confirmed-late'),
        resolved('lost', 95, 'unknown', 'no-confirmation'),
        asked('flying', 99),
        asked('forgotten', 5),
        resolved('forgotten', 6, 'unknown', 'no-confirmation'),
      ],
      [
        ['lost', 'boot-1'],
        ['flying', 'boot-2'],
      ],
    );
    const storage = await opened();
    const stored = async (commandId: string) => {
      const { outcome, reason, acceptedAtMs, resolvedAtMs } = (await storage.findCommand(commandId)) ?? {};
      return [outcome, reason, acceptedAtMs, resolvedAtMs];
    };
    expect(await storage.findCommand('done')).toEqual({
      commandId: 'done',
      productLogin: 'gate',
      clientId: 'app',
      numOutput: 1,
      action: 'set',
      state: 0,
      outcome: 'executed',
      reason: null,
      acceptedAtMs: 10,
      resolvedAtMs: 40,
    });
    expect(await stored('unlinked')).toEqual(['expired', 'not-linked', 20, 20]);
    expect(await stored('late')).toEqual(['confirmed-late', null, 30, 90]);
    expect(await stored('lost')).toEqual(['unknown', 'no-confirmation', 50, 95]);
    expect(await stored('flying')).toEqual(['pending', null, 99, null]);
    expect(await storage.openCommands('gate', 10)).toEqual([
      { commandId: 'flying', bootId: 'boot-2' },
      { commandId: 'lost', bootId: 'boot-1' },
    ]);
    expect(await storage.findOpen('gate', 'forgotten')).toBeUndefined();
    expect(await storage.interruptPending(NOW_MS)).toBe(1);
    expect(await storage.recordOutcome(outcome('lost', { outcome: 'confirmed-late' }))).toBe(true);
    expect(await stored('lost')).toEqual(['confirmed-late', null, 50, NOW_MS + 40]);
    expect(await firstFault(storage)).toBe(NO_CREATION);
    await storage.close();
  });

  test('a record that somebody spoilt keeps no server from starting', async () => {
    write([asked('good', 10)], []);
    const db = openWriteConnection(file);
    db.exec(
      `INSERT INTO audit_records (writer, seq, kind, command_id, body, previous_hash, hash)
        SELECT writer, seq + 1, kind, 'spoilt', 'no JSON', hash, hash FROM audit_records;
      INSERT INTO audit_records (writer, seq, kind, command_id, body, previous_hash, hash)
        SELECT writer, seq + 2, 'outcome', 'good', '{', hash, hash FROM audit_records WHERE seq = 1`,
    );
    db.close();
    const storage = await opened();
    expect(await storage.findCommand('good')).toMatchObject({ outcome: 'pending' });
    expect(await storage.findCommand('spoilt')).toBeUndefined();
    await storage.close();
  });
});
