import { createSecretKey } from 'node:crypto';
import { expect, test } from '@jest/globals';
import { NOTHING_RECORDED } from '@relaygate/server/audit/archive-text';
import { GroupCommit } from '@relaygate/server/storage/group-commit';
import type { WriteConnection } from '@relaygate/server/storage/sql';
import { IN_MEMORY, openDatabase } from '@relaygate/server/storage/sqlite/database-file';
import { writeSqlOf } from '@relaygate/server/storage/sqlite/sqlite';
import { type StorageWrite, WRITES, type WriteName } from '@relaygate/server/storage/storage';
import { MAX_FAMILIES_PER_CLIENT } from '@relaygate/shared';
import {
  client,
  command,
  family,
  keyOf,
  NOW_MS,
  opening,
  outcome,
  product,
  report,
} from '../../../contract/storage/samples';

/** As `sql.ts` says it; of the rows, the tables in the order in which every write takes them. */
const ORDER = [
  'revisions',
  'named locks',
  ...['nodes', 'clients', 'rotated_client_keys', 'products', 'commands', 'outputs', 'associations', 'refresh_families'],
  ...['device_revocations', 'device_histories', 'archives', 'sweeps', 'key_release', 'write_probe'],
  'audit',
];
/** What an engine locks for these is part of another lock. */
const PART_OF: Readonly<Record<string, string>> = {
  ...{ revision_writers: 'revisions', audit_writers: 'audit', audit_log: 'audit', audit_names: 'audit' },
  ...{ audit_archives: 'archives', audit_removed: 'archives', audit_records: 'archives' },
};
const CHANGE = /^\s*(INSERT INTO|UPDATE|DELETE FROM) (\w+)/;
const KEY = createSecretKey(Buffer.alloc(32, 1));
const ENTRY = { actor: 'ana', kind: 'output', changes: [], atMs: NOW_MS, bootId: 'boot-1', bootMs: 7 };
const ARCHIVE = { file: 'one', fromId: 1, toId: 2, sha256: 'aa', state: { ...NOTHING_RECORDED, lastId: 2 } };
const REST = { ...ARCHIVE, file: 'rest', lost: { ...NOTHING_RECORDED, lastId: 1 } };
const HELD = { epoch: 1, publicKey: 'public-1', bootId: 'boot-1', agentVersion: '1.2.3', atMs: NOW_MS };
const OLD = { beforeMs: NOW_MS + 9, nowMs: NOW_MS + 9, afterId: 0, limit: 9 };

/** Each makes all of its changes; several rows where it can have several. */
const STEPS: readonly StorageWrite[] = [
  { name: 'createClient', args: [client('app')] },
  { name: 'createProduct', args: [product('gate')] },
  { name: 'createProducts', args: [[product('door'), product('barn')]] },
  { name: 'associate', args: ['app', 'gate', NOW_MS] },
  { name: 'enrolDevice', args: ['gate', 'public-1', 'code of gate', NOW_MS] },
  { name: 'openLink', args: ['gate', opening()] },
  { name: 'openLink', args: ['gate', opening({ instanceId: 'instance-2' })] },
  { name: 'openLink', args: ['gate', opening()] },
  { name: 'saveReport', args: ['gate', 3, report({ faults: ['board lost'] })] },
  ...['c1', 'c2', 'c3', 'c4', 'c5'].map((id): StorageWrite => ({ name: 'recordCommand', args: [command(id)] })),
  { name: 'recordBoot', args: ['c1', 'boot-2'] },
  { name: 'recordOutcome', args: [outcome('c1')] },
  { name: 'interruptCommands', args: [['c2', 'c3'], NOW_MS] },
  { name: 'interruptPending', args: [NOW_MS] },
  ...['history-1', 'history-2'].map(
    (historyId): StorageWrite => ({
      name: 'keepHistory',
      args: ['gate', 3, { historyId, entries: [1, 2].map((seq) => ({ ...ENTRY, seq })), atMs: NOW_MS }],
    }),
  ),
  { name: 'joinNodes', args: [{ name: 'node-1', instance: 'first', secrets: '' }, 60_000, NOW_MS] },
  { name: 'renewLease', args: ['first', 60_000] },
  { name: 'claimProduct', args: ['barn', 'first'] },
  { name: 'openLink', args: ['gate', opening({ node: 'first' })] },
  { name: 'recordCommand', args: [command('c6', { node: 'first' })] },
  { name: 'joinNodes', args: [{ name: 'node-2', instance: 'second', secrets: '' }, 0, NOW_MS] },
  { name: 'settleLink', args: ['gate', { ...HELD, epoch: 3 }, NOW_MS, 'first'] },
  { name: 'leaveNodes', args: ['first', NOW_MS] },
  { name: 'endDeadNodes', args: [NOW_MS] },
  { name: 'closeLink', args: ['gate', 4, NOW_MS] },
  { name: 'settleLink', args: ['gate', HELD, NOW_MS] },
  { name: 'settleLink', args: ['gate', null, NOW_MS] },
  { name: 'closeAllLinks', args: [] },
  { name: 'setProductActivated', args: ['gate', false, NOW_MS] },
  { name: 'setOutputActivated', args: ['gate', 1, false, NOW_MS] },
  { name: 'rotateProductKey', args: ['gate', 'bb', NOW_MS] },
  { name: 'revokeDevice', args: ['gate', 'new code', NOW_MS] },
  ...Array.from({ length: MAX_FAMILIES_PER_CLIENT + 2 }, (_, n): StorageWrite => {
    return { name: 'createFamily', args: [family(`f${n}`)] };
  }),
  { name: 'rotateFamily', args: ['f9', 0, 'bb', NOW_MS] },
  { name: 'revokeFamily', args: ['f9', NOW_MS] },
  { name: 'rotateClientKey', args: ['app', { ...keyOf('new'), keyHash: 'bb', oldKeyUntilMs: 0, atMs: NOW_MS }] },
  { name: 'setClientActive', args: ['app', false, NOW_MS] },
  { name: 'dissociate', args: ['app', 'gate', NOW_MS] },
  { name: 'appendCheckpoint', args: [KEY, NOW_MS] },
  { name: 'recordNewAuditKey', args: [KEY, NOW_MS] },
  { name: 'erasePerson', args: ['ana', NOW_MS] },
  { name: 'eraseClientName', args: ['app', NOW_MS] },
  { name: 'recordArchive', args: [ARCHIVE, NOW_MS] },
  { name: 'removeArchived', args: [1, REST.lost] },
  { name: 'recordLoss', args: [REST, ARCHIVE, NOTHING_RECORDED, NOW_MS] },
  ...(['openCommands', 'commands', 'deviceRevocations', 'refreshFamilies', 'historyPositions'] as const).map(
    (what): StorageWrite => ({ name: 'removeOld', args: [what, OLD] }),
  ),
  { name: 'recordSweep', args: [NOW_MS] },
  { name: 'passKeyTurn', args: [0] },
  { name: 'releaseKeys', args: [9] },
  { name: 'probe', args: [] },
];

/** What is locked already may be written again; but rows differ, and behind the audit's lock no other one is taken. */
function isInOrder(taken: readonly string[]): boolean {
  const firsts = [...new Set(taken)].map((lock) => ORDER.indexOf(lock));
  const behindAudit = taken.includes('audit') ? taken.slice(taken.indexOf('audit')) : [];
  return (
    firsts.every((rank, n) => rank > (firsts[n - 1] ?? -1)) &&
    behindAudit.every((lock) => lock === 'audit' || lock === 'revisions')
  );
}

test('every write takes its locks in one order, so that no two of them wait for each other', async () => {
  const db = openDatabase(IN_MEMORY);
  const sql = writeSqlOf(db);
  let taken: string[] = [];
  const noted = <Result>(run: (text: string, ...values: never[]) => Promise<Result>) => {
    return (text: string, ...values: never[]) => {
      const [, how, table = ''] = CHANGE.exec(text) ?? [];
      // The engine keeps the rows that a new one refers to.
      if (how === 'INSERT INTO') taken.push(...parentsOf(table));
      if (how === 'DELETE FROM' && table === 'audit_log') taken.push('archives');
      else if (how !== undefined) taken.push(PART_OF[table] ?? table);
      return run(text, ...values);
    };
  };
  const parentsOf = (table: string): string[] =>
    (db.pragma(`foreign_key_list(${table})`) as { table: string }[]).map((key) => key.table).sort();
  const connection = {
    ...sql,
    get: noted(sql.get),
    run: noted(sql.run),
    send: noted(sql.send),
    lock: async (name: string) => {
      const group = /^revision(s of| writers)/.test(name) ? 'revisions' : 'named locks';
      taken.push(name === 'audit' ? 'audit' : group);
    },
  } as WriteConnection;
  const group = new GroupCommit(connection, 'node-1', () => 0, 'cli as ana');
  const wrong: unknown[] = [];
  for (const write of STEPS) {
    taken = [];
    group.add([{ id: 0, write, deadlineMs: 1 }]);
    expect([write.name, await group.run()]).toEqual([write.name, [expect.objectContaining({ ok: true })]]);
    if (!isInOrder(taken)) wrong.push([write.name, [...new Set(taken)]]);
  }
  db.close();
  expect(wrong).toEqual([]);
  const named = new Set<WriteName>(STEPS.map(({ name }) => name));
  expect(Object.keys(WRITES).filter((name) => !named.has(name as WriteName))).toEqual([]);
});
