import { spawnSync } from 'node:child_process';
import { createHash, createSecretKey } from 'node:crypto';
import {
  appendFileSync,
  existsSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { type ArchiveDeps, type Archived, archiveAudit } from '@relaygate/server/audit/archive-audit';
import type { ArchiveFiles, ArchiveSource, AuditArchive } from '@relaygate/server/audit/archive-store';
import { headsOf } from '@relaygate/server/audit/archive-text';
import { commandIdOf } from '@relaygate/server/audit/audit-record';
import type { AuditRow } from '@relaygate/server/audit/audit-store';
import { everyRow } from '@relaygate/server/audit/every-record';
import type { OutsideEvidence } from '@relaygate/server/audit/kept-outside';
import { archiveWithoutLost } from '@relaygate/server/audit/lost-archive';
import { verifyAudit } from '@relaygate/server/audit/verify-audit';
import { reportText } from '@relaygate/server/cli/audit-sheet';
import { archiveFiles } from '@relaygate/server/files/archive-file';
import { openDatabase } from '@relaygate/server/storage/sqlite/database-file';
import { MIGRATIONS } from '@relaygate/server/storage/sqlite/migrations';
import { openSqlite } from '@relaygate/server/storage/sqlite/sqlite';
import { openSqliteStorage } from '@relaygate/server/storage/sqlite/sqlite-storage';
import type { Storage } from '@relaygate/server/storage/storage';
import { folderForEach } from '../../support/processes/fresh-folder';
import { AuditMaker } from '../../support/server/audit-maker';
import { tamper } from '../../support/server/tamper';
import { command, NOW_MS, outcome, withLinkedGate } from './samples';

const KEY = createSecretKey(Buffer.alloc(32, 7));
const HOUR_MS = 3_600_000;
const YEAR_MS = 365 * 24 * HOUR_MS;

const folder = folderForEach('rg-archive-');
const file = join(folder, 'relaygate.db');
let storage: Storage;
let commands: number;
beforeEach(async () => {
  commands = 0;
  withFirstFormat(file);
  storage = await openSqliteStorage({ file, writerName: 'cli', actor: 'cli as ana', inline: true });
  await withLinkedGate(storage);
});
afterEach(() => storage.close());

/** A database from before the second format, with a few records. */
function withFirstFormat(path: string): void {
  const second = MIGRATIONS.findIndex((step) => step.includes('CREATE TABLE audit_log'));
  const db = openDatabase(path, MIGRATIONS.slice(0, second));
  const insert = db.prepare(
    `INSERT INTO audit_records (writer, seq, kind, command_id, body, previous_hash, hash)
      VALUES (@writer, @seq, @kind, @commandId, @body, @previousHash, @hash)`,
  );
  const maker = new AuditMaker().old('cli').old('node-0').old('cli').old('cli');
  for (const record of maker.records) insert.run(record);
  for (const { writer, seq, hash } of maker.heads())
    db.prepare('INSERT INTO audit_heads VALUES (?, ?, ?)').run(writer, seq, hash);
  db.close();
}

/** A command and its outcome, each hour. */
async function giveCommands(count: number): Promise<void> {
  for (let n = 0; n < count; n += 1) {
    const atMs = NOW_MS + commands * HOUR_MS;
    const commandId = `c${commands}`;
    commands += 1;
    await storage.recordCommand(command(commandId, { acceptedAtMs: atMs }));
    await storage.recordOutcome(outcome(commandId, { resolvedAtMs: atMs + 40 }));
  }
}

async function removeCommands(beforeMs: number): Promise<void> {
  await storage.removeOld('commands', { beforeMs, nowMs: beforeMs, afterId: 0, limit: 10_000 });
}

const inFolder = (name: string): string => join(folder, name);
const archivingOf = (store = storage, files: ArchiveFiles = archiveFiles): ArchiveDeps => ({
  store,
  files,
  key: KEY,
  wallClock: { epochMs: () => NOW_MS + commands * HOUR_MS },
  pause: async () => {},
  progress: { written() {}, verified() {}, removed() {} },
});
const archive = (
  name: string,
  beforeHours: number,
  store = storage,
  files: ArchiveFiles = archiveFiles,
): Promise<Archived | undefined> =>
  archiveAudit(archivingOf(store, files), { beforeMs: NOW_MS + beforeHours * HOUR_MS, file: inFolder(name) });
const without = (lost: string, name: string, store = storage): Promise<Archived> =>
  archiveWithoutLost(archivingOf(store), { lost: inFolder(lost), file: inFolder(name) });

/** A storage that the program is killed at: `left` calls of this method go through. */
const killedAt = (method: keyof Storage, left = 0): Storage => {
  let calls = 0;
  return new Proxy(storage, {
    get: (target, name, receiver) =>
      name === method && calls++ >= left
        ? () => Promise.reject(new Error('killed'))
        : Reflect.get(target, name, receiver),
  });
};

function sourcesOf(...names: string[]): ArchiveSource[] {
  return names.flatMap((name) => archiveFiles.open(inFolder(name)) ?? []);
}

const verify = (evidence: OutsideEvidence = {}) => verifyAudit(storage, { key: KEY, ...evidence });
const faultsOf = async (evidence: OutsideEvidence = {}) => (await verify(evidence)).findings.map(({ text }) => text);

async function rowsOf(...names: string[]) {
  const rows = [];
  for await (const page of everyRow(storage, sourcesOf(...names))) rows.push(...page);
  return rows;
}

function sql(statement: string): void {
  const db = openSqlite(file);
  try {
    db.exec(statement);
  } finally {
    db.close();
  }
}

describe('archiving', () => {
  test('moves the records before a time, of both formats, and the chains go on over it', async () => {
    await giveCommands(20);
    const all = await rowsOf();
    const before = await verify();
    expect(before).toMatchObject({ faults: 0, records: all.length });
    const done = await archive('a.gz', 10);
    const left = await storage.readAudit(0, 1_000);
    expect(done).toMatchObject({ file: 'a.gz', fromId: 1, removed: done?.toId });
    expect(left[0]?.id).toBe((done?.toId ?? 0) + 1);
    expect(left[0]).toMatchObject({ kind: 'command', atMs: NOW_MS + 10 * HOUR_MS });
    await giveCommands(1);
    const without = await verify();
    expect(without.findings).toEqual([]);
    expect(without).toMatchObject({ archived: { toId: done?.toId, unreadToId: done?.toId, unread: ['a.gz'] } });
    expect((await rowsOf('a.gz')).slice(0, all.length)).toEqual(all);
    const whole = await verify({ archives: sourcesOf('a.gz'), expected: before.heads });
    expect(whole.findings).toEqual([]);
    expect(whole).toMatchObject({ records: all.length + 3, archived: { unreadToId: 0, unread: [] } });
    expect(readdirSync(folder).filter((name) => name.startsWith('a.gz'))).toEqual(['a.gz']);
  });

  test('again and again: the archives are one audit, also where one of them holds what the other is recorded by', async () => {
    await giveCommands(9);
    await archive('a.gz', 3);
    await giveCommands(1);
    await archive('b.gz', 6);
    await giveCommands(5);
    await archive('c.gz', 2_000);
    await giveCommands(2);
    expect(await faultsOf()).toEqual([]);
    expect(await faultsOf({ archives: sourcesOf('c.gz') })).toEqual([]);
    expect(await faultsOf({ archives: sourcesOf('c.gz', 'a.gz', 'b.gz') })).toEqual([]);
    const ids = (await rowsOf('b.gz', 'a.gz', 'c.gz')).map(({ id }) => id);
    expect(ids).toEqual(ids.map((_, n) => n + 1));
    await expect(verify({ archives: sourcesOf('a.gz', 'c.gz') })).rejects.toMatchObject({ code: 'bad-usage' });
    await expect(verify({ archives: sourcesOf('a.gz') })).rejects.toThrow(/b\.gz/);
  });

  test('shows the outcomes of commands that are forgotten with product and client', async () => {
    await giveCommands(3);
    await archive('a.gz', 2);
    await removeCommands(NOW_MS + 99 * HOUR_MS);
    const outcomes = (await rowsOf('a.gz')).filter(({ kind }) => kind === 'outcome');
    expect(outcomes).toHaveLength(3);
    for (const row of outcomes.slice(0, 2)) expect(row).toMatchObject({ productLogin: 'gate', clientId: 'app' });
    const filter = { productLogin: 'gate', clientId: 'app', sinceMs: null, untilMs: null, outcome: null } as const;
    const listed = await storage.listAudit({ ...filter, kind: 'outcome' }, { afterId: null, newestFirst: false }, 10);
    expect(listed.map(({ commandId }) => commandId)).toEqual(['c2']);
  });

  test('writes nothing if no record is so old', async () => {
    await giveCommands(1);
    await archive('a.gz', 1);
    expect(await archive('b.gz', 1)).toBeUndefined();
    expect(readdirSync(folder).filter((name) => name.startsWith('b.gz'))).toEqual([]);
  });

  test('moves nothing because of a clock that is behind the audit', async () => {
    await giveCommands(10);
    await archive('a.gz', 1);
    const behind = { ...archivingOf(), wallClock: { epochMs: () => NOW_MS - 2 * YEAR_MS } };
    const wanted = { beforeMs: NOW_MS - 3 * YEAR_MS, file: inFolder('b.gz') };
    expect(await archiveAudit(behind, wanted)).toBeUndefined();
    expect(existsSync(wanted.file)).toBe(false);
  });

  test('moves what a clock that was ahead has written once a record behind it is old', async () => {
    const oldestCommand = async (): Promise<string | undefined> =>
      (await storage.readAudit(0, 1_000)).filter(({ kind }) => kind === 'command').map(commandIdOf)[0];
    await giveCommands(3);
    commands += 20_000;
    await giveCommands(2);
    commands -= 20_002;
    await giveCommands(7);
    await archive('a.gz', 3);
    expect(await oldestCommand()).toBe('c20003');
    await archive('b.gz', 5);
    expect(await oldestCommand()).toBe('c5');
    expect(await faultsOf({ archives: sourcesOf('a.gz', 'b.gz') })).toEqual([]);
  });

  test('refuses an audit that is broken, and leaves everything as it was', async () => {
    await giveCommands(3);
    sql(
      `DROP TRIGGER audit_log_keep; UPDATE audit_log SET body = replace(body, '"c1"', '"c9"') WHERE kind = 'outcome'`,
    );
    const records = await storage.readAudit(0, 1_000);
    await expect(archive('a.gz', 3)).rejects.toMatchObject({ code: 'audit-broken' });
    expect(await storage.readAudit(0, 1_000)).toEqual(records);
    expect(readdirSync(folder).filter((name) => name.startsWith('a.gz'))).toEqual([]);
  });

  test.each([
    ['differs', (block: string) => block.replace('executed', 'expired')],
    ['lacks a record', (block: string) => block.replace(/2\t[^\n]*"c1"[^\n]*\n/, '')],
    ['lacks its end', (block: string) => block.slice(0, block.lastIndexOf('{'))],
  ])('removes nothing if what the disk has of the archive %s', async (_what, spoilt) => {
    await giveCommands(3);
    const records = await storage.readAudit(0, 1_000);
    const spoiling: ArchiveFiles = {
      ...archiveFiles,
      create(name) {
        const sink = archiveFiles.create(name);
        return { ...sink, write: (block) => sink.write(spoilt(block)) };
      },
    };
    await expect(archive('a.gz', 3, storage, spoiling)).rejects.toMatchObject({ code: 'not-verified' });
    expect(await storage.readAudit(0, 1_000)).toEqual(records);
    expect(await storage.auditArchives()).toEqual([]);
  });

  test('replaces no file', async () => {
    await giveCommands(3);
    writeFileSync(inFolder('a.gz'), 'precious');
    await expect(archive('a.gz', 3)).rejects.toMatchObject({ code: 'already-exists' });
    expect(readFileSync(inFolder('a.gz'), 'utf8')).toBe('precious');
    expect((await storage.readAudit(0, 1))[0]?.id).toBe(1);
  });
});

describe('a run that was cut short', () => {
  test.each(['written, before it was recorded', 'recorded, before all was removed'])(
    'when it was %s, is finished by the same command',
    async (when) => {
      await giveCommands(300);
      const all = await rowsOf();
      let steps = 0;
      const cut = new Proxy(storage, {
        get(target, name, receiver) {
          const method = Reflect.get(target, name, receiver);
          const isEnd = when.startsWith('written')
            ? name === 'recordArchive'
            : name === 'removeArchived' && steps++ > 0;
          return isEnd ? () => Promise.reject(new Error('killed')) : method;
        },
      });
      await expect(archive('a.gz', 250, cut)).rejects.toThrow('killed');
      expect(await faultsOf()).toEqual([]);
      // Once it is recorded, another file would lack its records.
      if (!when.startsWith('written'))
        await expect(archive('b.gz', 250)).rejects.toMatchObject({ code: 'archive-unfinished' });
      expect(await archive('a.gz', 250)).toMatchObject({ fromId: 1, file: 'a.gz' });
      expect(await faultsOf({ archives: sourcesOf('a.gz') })).toEqual([]);
      expect((await rowsOf('a.gz')).slice(0, all.length)).toEqual(all);
    },
  );

  test('writes its file again if that is lost and no record was removed', async () => {
    await giveCommands(10);
    await archive('first.gz', 2);
    const all = await rowsOf('first.gz');
    const cut = new Proxy(storage, {
      get: (target, name, receiver) =>
        name === 'removeArchived' ? () => Promise.reject(new Error('killed')) : Reflect.get(target, name, receiver),
    });
    await expect(archive('a.gz', 5, cut)).rejects.toThrow('killed');
    const [, lost] = await storage.auditArchives();
    rmSync(inFolder('a.gz'));
    await expect(archive('b.gz', 5)).rejects.toMatchObject({
      code: 'archive-unfinished',
      message: expect.stringContaining('If it is lost, the same command writes it again'),
    });
    await giveCommands(1);
    expect(await archive('a.gz', 8)).toMatchObject({ file: 'a.gz', fromId: lost?.fromId, toId: lost?.toId });
    expect(await storage.auditArchives()).toHaveLength(2);
    expect(() => sql("UPDATE audit_archives SET sha256 = 'ff'")).toThrow('archives of the audit are never changed');
    expect(await faultsOf()).toEqual([]);
    expect(await faultsOf({ archives: sourcesOf('first.gz', 'a.gz') })).toEqual([]);
    expect((await rowsOf('first.gz', 'a.gz')).slice(0, all.length)).toEqual(all);
    expect(await archive('b.gz', 8)).toMatchObject({ fromId: (lost?.toId ?? 0) + 1 });
    expect(await faultsOf({ archives: sourcesOf('a.gz', 'b.gz') })).toEqual([]);
  });

  test.each(['recordArchive', 'removeArchived'] as const)(
    'at %s, has its file made durable before that is done',
    async (method) => {
      await giveCommands(10);
      await expect(archive('a.gz', 5, killedAt(method))).rejects.toThrow('killed');
      const done: string[] = [];
      const noting = <Noted extends object>(of: Noted, names: readonly string[]): Noted =>
        new Proxy(of, {
          get(target, name, receiver) {
            if (names.includes(String(name))) done.push(String(name));
            return Reflect.get(target, name, receiver);
          },
        });
      const store = noting(storage, ['recordArchive', 'removeArchived']);
      const open: ArchiveFiles['open'] = (name) => {
        const source = archiveFiles.open(name);
        return source && noting(source, ['sync']);
      };
      await archive('a.gz', 5, store, { ...archiveFiles, open });
      expect(done.slice(0, 2)).toEqual(['sync', method]);
    },
  );

  test('uses a file that is whole and was not recorded', async () => {
    await giveCommands(10);
    const cut = new Proxy(storage, {
      get: (target, name, receiver) =>
        name === 'recordArchive' ? () => Promise.reject(new Error('killed')) : Reflect.get(target, name, receiver),
    });
    await expect(archive('a.gz', 5, cut)).rejects.toThrow('killed');
    writeFileSync(inFolder('a.gz.half'), 'of yet another run');
    expect(await archive('a.gz', 7)).toMatchObject({ file: 'a.gz' });
    expect(await faultsOf({ archives: sourcesOf('a.gz') })).toEqual([]);
  });
});

test('of two runs that write the same archive, one is refused, and the file is whole', async () => {
  const [first, second] = [archiveFiles.create(inFolder('a.gz')), archiveFiles.create(inFolder('a.gz'))];
  first.write('the first\n');
  second.write('the se');
  first.finish();
  second.write('cond\n');
  expect(() => second.finish()).toThrow(expect.objectContaining({ code: 'already-exists' }));
  second.discard();
  expect(String(gunzipSync(readFileSync(inFolder('a.gz'))))).toBe('the first\n');
  expect(readdirSync(folder).filter((name) => name.startsWith('a.gz'))).toEqual(['a.gz']);
});

test('an archive is made where killed runs have left their halves, which go, and somebody a link, whose file stays', async () => {
  await giveCommands(10);
  writeFileSync(inFolder('victim'), 'precious');
  symlinkSync(inFolder('victim'), inFolder('a.gz.half'));
  const { pid: dead } = spawnSync('true');
  writeFileSync(inFolder(`a.gz.half-${dead}-0123abcd`), 'of a killed run');
  writeFileSync(inFolder(`a.gz.half-${process.ppid}-0123abcd`), 'of a run at work');
  expect(await archive('a.gz', 5)).toMatchObject({ file: 'a.gz' });
  expect(readFileSync(inFolder('victim'), 'utf8')).toBe('precious');
  const left = readdirSync(folder).filter((name) => name.startsWith('a.gz.'));
  expect(left).toEqual([`a.gz.half-${process.ppid}-0123abcd`]);
});

describe('an archive that was lost when some of its records were removed', () => {
  const idsOf = async (...names: string[]) => (await rowsOf(...names)).map(({ id }) => id);
  let all: AuditRow[];
  let lost: AuditArchive;
  beforeEach(async () => {
    await giveCommands(600);
    await archive('first.gz', 10);
    all = await rowsOf('first.gz');
    await expect(archive('a.gz', 590, killedAt('removeArchived', 1))).rejects.toThrow('killed');
    const [, last] = await storage.auditArchives();
    if (!last) throw new Error('nothing was archived');
    lost = last;
    rmSync(inFolder('a.gz'));
  });

  test('is given up: what is left goes into another file, and the gap is named from then on', async () => {
    const [left] = await storage.readAudit(0, 1);
    const lostToId = (left?.id ?? 0) - 1;
    expect(lostToId).toBeGreaterThan(lost.fromId);
    await expect(archive('b.gz', 595)).rejects.toThrow(/without-lost a\.gz/);
    const before = await verify();
    expect(await without('a.gz', 'rest.gz')).toMatchObject({ file: 'rest.gz', toId: lost.toId, lostToId });
    expect((await storage.readAudit(0, 1))[0]?.id).toBe(lost.toId + 1);
    const gap = { fromId: lost.fromId, toId: lostToId };
    const report = await verify({ expected: before.heads });
    expect(report).toMatchObject({ findings: [], archived: { lost: [gap], unread: ['first.gz', 'rest.gz'] } });
    for (const given of [['rest.gz'], ['first.gz', 'rest.gz']]) {
      const whole = await verify({ archives: sourcesOf(...given) });
      const records = (await rowsOf(...given)).length;
      expect(whole).toMatchObject({ findings: [], records, archived: { lost: [gap] } });
    }
    const kept = all.filter(({ id }) => id < lost.fromId || id > lostToId);
    expect((await rowsOf('first.gz', 'rest.gz')).slice(0, kept.length)).toEqual(kept);
    const rows = await rowsOf();
    const heads = headsOf((await storage.auditArchives())[1]?.lost ?? lost.state);
    expect(rows.find(({ kind }) => kind === 'audit-lost')?.details).toEqual({
      ...gap,
      file: 'a.gz',
      sha256: lost.sha256,
      after: headsOf((await storage.auditArchives())[0]?.state ?? lost.state),
      heads,
    });
    await giveCommands(10);
    expect(await archive('b.gz', 605)).toMatchObject({ fromId: lost.toId + 1 });
    expect(await verify({ archives: sourcesOf('first.gz', 'rest.gz', 'b.gz') })).toMatchObject({
      findings: [],
      archived: { lost: [gap] },
    });
    expect(await idsOf('rest.gz', 'b.gz')).toContain(lost.toId + 1);
  });

  test.each(['recordLoss', 'removeArchived'] as const)(
    'if that is cut short at %s, it is run again',
    async (method) => {
      await expect(without('a.gz', 'rest.gz', killedAt(method))).rejects.toThrow('killed');
      expect(await without('a.gz', 'rest.gz')).toMatchObject({ file: 'rest.gz' });
      expect(await faultsOf({ archives: sourcesOf('first.gz', 'rest.gz') })).toEqual([]);
    },
  );

  test('may be lost again, with and without more of its records', async () => {
    const [left] = await storage.readAudit(0, 1);
    await expect(without('a.gz', 'rest.gz', killedAt('removeArchived'))).rejects.toThrow('killed');
    rmSync(inFolder('rest.gz'));
    await expect(without('rest.gz', 'again.gz', killedAt('removeArchived', 1))).rejects.toThrow('killed');
    rmSync(inFolder('again.gz'));
    expect((await verify()).archived?.lost).toMatchObject([{ fromId: lost.fromId, toId: (left?.id ?? 0) - 1 }]);
    expect(await without('again.gz', 'last.gz')).toMatchObject({ toId: lost.toId });
    expect((await verify({ archives: sourcesOf('first.gz', 'last.gz') })).findings).toEqual([]);
    const losses = (await rowsOf()).filter(({ kind }) => kind === 'audit-lost');
    expect(losses.map(({ details }) => details?.file)).toEqual(['a.gz', 'again.gz']);
  });

  test('is not given up under another name, while it is there, or when none or all of its records were removed', async () => {
    await expect(without('first.gz', 'rest.gz')).rejects.toThrow(/Only the last archive, a\.gz, can be given up/);
    await without('a.gz', 'rest.gz');
    await expect(without('rest.gz', 'again.gz')).rejects.toThrow(/is there/);
    rmSync(inFolder('rest.gz'));
    await expect(without('rest.gz', 'again.gz')).rejects.toThrow(/Nothing is left of .*All its records were removed/);
    await expect(archive('b.gz', 595, killedAt('removeArchived'))).rejects.toThrow('killed');
    rmSync(inFolder('b.gz'));
    await expect(without('b.gz', 'again.gz')).rejects.toThrow(/No record of .* was removed yet/);
    expect(existsSync(inFolder('again.gz'))).toBe(false);
  });

  test.each([
    ['in between', () => lost.toId - 3],
    ['first of those that are left', async () => (await storage.readAudit(0, 1))[0]?.id],
  ])('hides no record that somebody changed beside it: the one %s', async (_which, changed) => {
    const [left] = await storage.readAudit(0, 1);
    sql(`DROP TRIGGER audit_log_keep; UPDATE audit_log SET kind = 'outcome', at_ms = 1, body = '{"command":"x"}'
      WHERE id = ${await changed()}`);
    await expect(without('a.gz', 'rest.gz')).rejects.toMatchObject({ code: 'audit-broken' });
    expect((await storage.readAudit(0, 1))[0]?.id).toBe(left?.id);
  });

  test('hides nothing of a head that was noted elsewhere: what nobody can compare is listed', async () => {
    const [gone] = await storage.readAudit(0, 1);
    const noted = (writer: string, seq: number) => ({ writer, seq, hash: 'f'.repeat(64) });
    const inLost = noted('cli', (gone?.seq ?? 0) - 5);
    const inFirst = noted('cli', 5);
    await without('a.gz', 'rest.gz');
    const expected = [inLost, inFirst];
    const whole = await verify({ expected, archives: sourcesOf('first.gz', 'rest.gz') });
    expect(whole).toMatchObject({ uncompared: [inLost], findings: [{ writer: 'cli', seq: 5, fault: 'changed' }] });
    expect(await verify({ expected, archives: sourcesOf('rest.gz') })).toMatchObject({
      uncompared: expected,
      findings: [],
    });
    const { heads } = await verify();
    expect((await verify({ expected: heads })).uncompared).toBeUndefined();
  });

  test('is said to be given up by whom and when, if the record of that was read', async () => {
    await without('a.gz', 'rest.gz');
    const givenUp = { atMs: NOW_MS + commands * HOUR_MS, actor: 'cli as ana' };
    expect((await verify()).archived?.lost).toEqual([expect.objectContaining({ givenUp })]);
    expect(reportText(await verify())).toMatch(/given up at 2\S+ by cli as ana/);
    await archive('b.gz', 2_000);
    await giveCommands(1);
    await archive('c.gz', 4_000);
    const [said] = (await verify()).archived?.lost ?? [];
    expect(said).toEqual({ fromId: lost.fromId, toId: said?.toId });
    expect(reportText(await verify())).toMatch(/no record that was read confirms it\. Give the archives/);
    const [read] = (await verify({ archives: sourcesOf('b.gz', 'c.gz') })).archived?.lost ?? [];
    expect(read).toMatchObject({ givenUp });
  });

  test('is not given up if nobody can check what is left, as an older version kept nothing of what it removed', async () => {
    sql('UPDATE audit_removed SET state = NULL');
    await expect(without('a.gz', 'rest.gz')).rejects.toThrow(
      /Nobody can check what is left of .*a\.gz: an older version/,
    );
    expect(existsSync(inFolder('rest.gz'))).toBe(false);
  });

  test('is no excuse for a gap that no record reports', async () => {
    await without('a.gz', 'rest.gz');
    sql(
      `DROP TRIGGER audit_archives_keep; UPDATE audit_archives SET lost_state = replace(lost_state, '"lastId":', '"lastId":1')`,
    );
    expect(await faultsOf()).toContain(
      `the entry of the archive of records ${lost.fromId} to ${lost.toId} in the database was changed`,
    );
  });
});

describe('what is altered among records that are in archives is found:', () => {
  const forge = (id: number, seq: number) =>
    sql(`INSERT INTO audit_log (id, writer, seq, kind, at_ms, body, hash)
      SELECT ${id}, writer, ${seq}, kind, at_ms, body, hash FROM audit_log WHERE kind = 'command' LIMIT 1`);
  const addedText = (id: number, lastId: number) =>
    `the record with the id ${id} was added: the records up to ${lastId} were archived and removed`;

  test('one that was added where all were removed', async () => {
    await giveCommands(12);
    const { toId = 0 } = (await archive('a.gz', 5)) ?? {};
    forge(3, 1);
    forge(-3, -1);
    const expected = [addedText(-3, toId), addedText(3, toId)];
    expect(await faultsOf()).toEqual(expected);
    expect(await faultsOf({ archives: sourcesOf('a.gz') })).toEqual(expected);
    for (const name of ['a.gz', 'b.gz']) await expect(archive(name, 8)).rejects.toMatchObject({ code: 'audit-broken' });
    expect(await faultsOf()).toEqual(expected);
  });

  test('one that was added before the first, which no archive hides', async () => {
    await giveCommands(3);
    forge(-3, -1);
    const message = expect.stringContaining('nothing was archived: the record with the id -3 was added');
    await expect(archive('a.gz', 2)).rejects.toMatchObject({ code: 'audit-broken', message });
    expect(existsSync(inFolder('a.gz'))).toBe(false);
  });

  describe('where a run was cut short', () => {
    let ends: { firstId: number; toId: number };
    beforeEach(async () => {
      await giveCommands(600);
      await expect(archive('a.gz', 590, killedAt('removeArchived', 1))).rejects.toThrow('killed');
      const [[first], [last]] = [await storage.readAudit(0, 1), await storage.auditArchives()];
      ends = { firstId: first?.id ?? 0, toId: last?.toId ?? 0 };
      expect(await faultsOf()).toEqual([]);
    });
    const left = () => `the records with ids ${ends.firstId} to ${ends.toId}, which the last archive has too,`;
    const FINISH = 'If that file is sound, "audit archive" with it as --out removes them from the database';

    test('one before those that are left', async () => {
      forge(3, 1);
      expect(await faultsOf()).toEqual([addedText(3, ends.toId)]);
    });

    test('one that was added, which no giving up of a lost file hides', async () => {
      forge(-3, -1);
      rmSync(inFolder('a.gz'));
      await expect(without('a.gz', 'rest.gz')).rejects.toMatchObject({ code: 'audit-broken' });
      expect(await faultsOf()).toEqual([addedText(-3, ends.toId)]);
    });

    test('one that was changed, with its hash or without', async () => {
      sql(`DROP TRIGGER audit_log_keep; UPDATE audit_log SET at_ms = 1 WHERE id = ${ends.firstId + 9}`);
      expect((await faultsOf())[0]).toBe('the record was changed, or the one before it was replaced');
    });

    test('the last one, removed', async () => {
      sql(`DELETE FROM audit_log WHERE id = ${ends.toId}`);
      expect(await faultsOf()).toEqual([`${left()} are not those that were archived. ${FINISH}`]);
    });

    test('all of them, if nothing says what they follow', async () => {
      sql('UPDATE audit_removed SET state = NULL');
      expect(await faultsOf()).toEqual([`${left()} follow nothing that the database knows. ${FINISH}`]);
      await archive('a.gz', 590);
      expect(await faultsOf()).toEqual([]);
    });
  });
});

describe('what is altered is found:', () => {
  let lines: string[];
  beforeEach(async () => {
    await giveCommands(12);
    await archive('a.gz', 5);
    await giveCommands(1);
    lines = gunzipSync(readFileSync(inFolder('a.gz')))
      .toString()
      .split('\n');
  });
  const repack = (changed: readonly string[]): void => writeFileSync(inFolder('a.gz'), gzipSync(changed.join('\n')));
  const ALTERED = 'a.gz was altered: its SHA-256 is not the recorded one';

  test('a record of the archive', async () => {
    const n = lines.findIndex((line) => line.includes('"outcome":"executed"'));
    repack(lines.with(n, (lines[n] ?? '').replace('executed', 'refused')));
    const faults = await faultsOf({ archives: sourcesOf('a.gz') });
    expect(faults).toEqual([
      ALTERED,
      expect.stringMatching(/^a\.gz was changed in the block that begins with record 1,/),
    ]);
    await expect(rowsOf('a.gz')).rejects.toMatchObject({ code: 'audit-broken' });
  });

  test('bytes of the archive, its end, and what was added', async () => {
    const bytes = readFileSync(inFolder('a.gz'));
    const damaged = Buffer.from(bytes);
    damaged[bytes.length >> 1] = (damaged[bytes.length >> 1] ?? 0) ^ 0xff;
    writeFileSync(inFolder('a.gz'), damaged);
    expect((await faultsOf({ archives: sourcesOf('a.gz') }))[0]).toBe(ALTERED);
    writeFileSync(inFolder('a.gz'), bytes.subarray(0, -20));
    expect((await faultsOf({ archives: sourcesOf('a.gz') }))[1]).toMatch(/^a\.gz cannot be read: /);
    writeFileSync(inFolder('a.gz'), bytes);
    appendFileSync(inFolder('a.gz'), gzipSync('2\t1\tcommand\t0\t{}\n'));
    expect(await faultsOf({ archives: sourcesOf('a.gz') })).toEqual([ALTERED, 'a.gz goes on behind its end']);
    repack(lines.slice(0, -2));
    expect((await faultsOf({ archives: sourcesOf('a.gz') }))[0]).toBe(ALTERED);
    writeFileSync(inFolder('a.gz'), '');
    expect((await faultsOf({ archives: sourcesOf('a.gz') }))[0]).toBe(ALTERED);
  });

  test('the archive of another audit', async () => {
    writeFileSync(inFolder('other.gz'), gzipSync('{"format":"relaygate audit archive 1","from":{"lastId":77}}\n'));
    expect(await faultsOf({ archives: sourcesOf('other.gz') })).toEqual(['other.gz is no archive of this audit']);
  });

  test('what the database knows of it', async () => {
    const forge = 'DROP TRIGGER audit_archives_keep; DROP TRIGGER audit_archives_stay;';
    sql(`${forge} UPDATE audit_archives SET sha256 = 'ff'`);
    expect(await faultsOf()).toContain(
      `the entry of the archive of records 1 to ${(await storage.auditArchives())[0]?.toId} in the database was changed`,
    );
    sql('DELETE FROM audit_archives');
    expect((await faultsOf()).join()).toMatch(/missing/);
  });

  test('an old archive that was declared lost in part, with a forged file of its last record', async () => {
    const rows = await rowsOf('a.gz');
    await giveCommands(5);
    await archive('b.gz', 10);
    await archive('c.gz', 2_000);
    await giveCommands(1);
    const [old] = await storage.auditArchives();
    if (!old) throw new Error('nothing was archived');
    const last = lines.findLast((line) => line.startsWith('2\t')) ?? '';
    const [, writer, kind, , body = ''] = last.split('\t');
    const { atMs, hash, seq } = rows.find(({ id }) => id === old.toId) ?? rows[0] ?? {};
    const chains = old.state.chains.map((chain) =>
      String(chain.writer) === writer ? { ...chain, seq: (seq ?? 0) - 1, hash: '', nextHash: hash } : chain,
    );
    const from = { ...old.state, lastId: old.toId - 1, lastMs: atMs, chains };
    const forged = [
      JSON.stringify({ format: 'relaygate audit archive 1', from }),
      ['2', writer, kind, atMs, body.replace('executed', 'already-set')].join('\t'),
      lines.findLast((line) => line.includes('"checkpoint"')),
      '',
    ];
    const bytes = gzipSync(forged.join('\n'));
    writeFileSync(inFolder('forged.gz'), bytes);
    const lostState = JSON.stringify(from);
    sql(`DROP TRIGGER audit_archives_keep; UPDATE audit_archives SET file = 'forged.gz', lost_state = '${lostState}',
      sha256 = '${createHash('sha256').update(bytes).digest('hex')}' WHERE to_id = ${old.toId}`);
    expect((await verify()).archived?.lost).toEqual([{ fromId: 1, toId: old.toId - 1 }]);
    const faults = await faultsOf({ archives: sourcesOf('forged.gz', 'b.gz', 'c.gz') });
    expect(faults).toEqual(
      expect.arrayContaining([
        `the entry of the archive of records 1 to ${old.toId} in the database was changed`,
        `no record says that the records 1 to ${old.toId - 1} were given up: the entry of their archive was forged`,
      ]),
    );
    sql(`UPDATE audit_archives SET lost_state = NULL WHERE to_id = ${old.toId}`);
    expect(await faultsOf({ archives: sourcesOf('forged.gz', 'b.gz', 'c.gz') })).toContain(
      `the entry of the archive of records 1 to ${old.toId} in the database was changed`,
    );
  });

  test('a forged archive, under which records were removed', async () => {
    const [known] = await storage.auditArchives();
    const [first] = await storage.readAudit(0, 1);
    const state = JSON.stringify({ ...known?.state, lastId: first?.id });
    sql(`INSERT INTO audit_archives (to_id, from_id, file, sha256, state)
      VALUES (${first?.id}, ${first?.id}, 'x', 'ff', '${state}'); DELETE FROM audit_log WHERE id = ${first?.id}`);
    const faults = await faultsOf();
    expect(faults).toContain(
      `the archive of records ${first?.id} to ${first?.id} has no record of its own: it was forged`,
    );
  });
});

describe('a command without an outcome, whose record is archived,', () => {
  /** As the server gives it: the time comes first. */
  const idAt = (hours: number): string => {
    const time = (NOW_MS + hours * HOUR_MS).toString(16).padStart(12, '0');
    return `${time.slice(0, 8)}-${time.slice(8)}-7000-8000-000000000000`;
  };
  const give = (idHours: number, recordHours: number) =>
    storage.recordCommand(command(idAt(idHours), { acceptedAtMs: NOW_MS + recordHours * HOUR_MS }));

  test.each([
    ['by a clock that was set back afterwards', 3],
    ['by a clock that is behind the one of the node that gave its id', 0],
  ])('has one, although its id is newer than the last record: recorded %s', async (_which, recordHours) => {
    await give(3, recordHours);
    await giveCommands(2);
    await archive('a.gz', 5);
    await giveCommands(1);
    expect(await faultsOf()).toEqual([]);
    sql(`UPDATE commands SET command_id = '${idAt(4)}' WHERE command_id = '${idAt(3)}'`);
    expect(await faultsOf()).toEqual(['1 commands without an outcome have no record']);
  });

  test('may be in an archive whose state has the time of its last record, as older versions kept it', async () => {
    await give(1, 1);
    await giveCommands(2);
    await archive('a.gz', 2);
    for (const table of ['audit_archives', 'audit_removed'])
      tamper(file, `UPDATE ${table} SET state = json_set(state, '$.lastMs', ${NOW_MS + HOUR_MS + 40})`);
    await giveCommands(2);
    expect(await faultsOf()).toEqual([]);
    await archive('b.gz', 3);
    expect(await faultsOf({ archives: sourcesOf('a.gz', 'b.gz') })).toEqual([]);
  });
});

test('the file stays as large as it is while old records and commands go as fast as new ones come', async () => {
  const EACH = 150;
  const sizes: number[] = [];
  for (let round = 1; round <= 5; round += 1) {
    await giveCommands(EACH);
    const oldHours = EACH * (round - 1);
    await archive(`${round}.gz`, oldHours);
    await removeCommands(NOW_MS + oldHours * HOUR_MS);
    sql('PRAGMA wal_checkpoint(TRUNCATE)');
    sizes.push(statSync(file).size);
  }
  const [, , third = 0, , last = 0] = sizes;
  expect(last).toBeLessThanOrEqual(third * 1.02);
  expect(await faultsOf({ archives: sourcesOf('2.gz', '3.gz', '4.gz', '5.gz') })).toEqual([]);
});

describe('while records are archived and removed,', () => {
  /** Pages have ten records. Behind that many pages, another program archives what is older than so many hours. */
  function archivingBeside(name: string, pagesBefore: number, beforeHours: number): Storage {
    let pages = 0;
    return {
      ...storage,
      async readAudit(afterId, limit) {
        const page = await storage.readAudit(afterId, Math.min(limit, 10));
        pages += 1;
        if (pages === pagesBefore) await archive(name, beforeHours);
        return page;
      },
    };
  }

  const isNewCommand = ({ kind, commandId }: AuditRow): boolean => kind === 'command' && commandId !== undefined;

  test.each([1, 3])('behind page %i, they do not seem to be missing to who verifies the audit', async (pages) => {
    await giveCommands(20);
    const report = await verifyAudit(archivingBeside('a.gz', pages, 20), { key: KEY });
    expect(report).toMatchObject({ findings: [], records: 1, archived: { unread: ['a.gz'] } });
  });

  test('nor do those that another run has left and removes meanwhile', async () => {
    await giveCommands(600);
    await expect(archive('a.gz', 590, killedAt('removeArchived', 1))).rejects.toThrow('killed');
    const report = await verifyAudit(archivingBeside('a.gz', 3, 590), { key: KEY });
    expect(report).toMatchObject({ findings: [], archived: { unread: ['a.gz'] } });
  });

  test('a reader of all of them gets an error that says to begin again, and with which file', async () => {
    await giveCommands(20);
    const reading = (async () => {
      for await (const _ of everyRow(archivingBeside('a.gz', 1, 20), []));
    })();
    const message = expect.stringContaining('a.gz');
    await expect(reading).rejects.toMatchObject({ code: 'archived-meanwhile', message });
    expect((await rowsOf('a.gz')).filter(isNewCommand)).toHaveLength(20);
  });

  test('who has read them already goes on', async () => {
    await giveCommands(20);
    const rows = [];
    for await (const page of everyRow(archivingBeside('a.gz', 4, 5), [])) rows.push(...page);
    expect(rows.filter(isNewCommand)).toHaveLength(20);
    expect((await rowsOf()).filter(isNewCommand)).toHaveLength(15);
  });
});

test('only what an archive holds can be removed', async () => {
  await giveCommands(2);
  const [first] = await storage.readAudit(0, 1);
  expect(await storage.removeArchived(first?.id ?? 0, undefined)).toBe(0);
  await archive('a.gz', 1);
  for (const table of ['audit_log', 'audit_records']) {
    const db = openSqlite(file);
    const rows = db.prepare(`SELECT COUNT(*) FROM ${table}`).pluck().get();
    if (rows !== 0) expect(() => db.exec(`DELETE FROM ${table}`)).toThrow('no archive holds');
    db.close();
  }
  const [next] = await storage.readAudit(0, 1);
  expect(await storage.removeArchived(next?.id ?? 0, undefined)).toBe(0);
  expect(await faultsOf()).toEqual([]);
});
