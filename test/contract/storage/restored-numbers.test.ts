import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { archiveAudit } from '@relaygate/server/audit/archive-audit';
import { everyRow } from '@relaygate/server/audit/every-record';
import { verifyAudit } from '@relaygate/server/audit/verify-audit';
import { archiveFiles } from '@relaygate/server/files/archive-file';
import { openAuditKey } from '@relaygate/server/files/audit-key';
import { openReadConnection } from '@relaygate/server/storage/sqlite/database-file';
import { openSqliteStorage } from '@relaygate/server/storage/sqlite/sqlite-storage';
import { systemRandomness } from '@relaygate/shared/system';
import { writtenAudit } from '../../support/server/audit-chain';
import { ANY, eventsIn, recordsIn } from '../../support/server/audit-records';
import { tamper } from '../../support/server/tamper';
import { backedUp, dataDir, file, filled, folder, opened, restored } from './copies-bench';
import { firstFault } from './first-fault';
import { client, NOW_MS, withLinkedGate } from './samples';

describe('restoring', () => {
  test('link epochs go on far above those that devices may have seen since (I12)', async () => {
    await filled(withLinkedGate);
    await backedUp();
    await restored();
    const db = openReadConnection(file);
    expect(db.prepare('SELECT link_epoch AS epoch FROM products').get()).toEqual({ epoch: 1_000_001 });
    db.close();
  });

  test('heads and the ids of writers go on far above those that came since', async () => {
    await filled(withLinkedGate);
    const node = await openSqliteStorage({ file, writerName: 'node-1', inline: true });
    await node.createClient(client('of the node'));
    await node.close();
    await backedUp();
    const before = openReadConnection(file);
    const heads = before.prepare('SELECT writer, seq FROM audit_writers ORDER BY writer').raw().all();
    before.close();
    await restored();
    const later = await openSqliteStorage({ file, writerName: 'later', actor: 'cli as bo', inline: true });
    await later.createClient(client('of a new writer'));
    await later.close();
    const db = openReadConnection(file);
    const after = db.prepare<[], [number, number]>('SELECT writer, seq FROM audit_writers ORDER BY writer');
    const far = 1_000_000;
    expect(heads).toEqual([
      [0, 3],
      [2, 4],
      [3, 1],
    ]);
    expect(after.raw().all()).toEqual([
      [0, far + 4],
      // Its checkpoint, too.
      [2, far + 5],
      [3, far + 1],
      [far + 4, 1],
    ]);
    db.close();
    const audit = await opened();
    expect(await firstFault(audit)).toBeUndefined();
    await audit.close();
  });

  test('twice from the same backup repeats no head, cursor, epoch or id', async () => {
    await filled(withLinkedGate);
    await backedUp();
    const far = (): Record<string, number> => {
      const db = openReadConnection(file);
      const of = (what: string) => db.prepare<[], number>(`SELECT ${what}`).pluck().get() ?? 0;
      const numbers = {
        head: of("MIN(seq) FROM audit_writers WHERE name IN ('@writers', 'cli', 'node-2')"),
        revision: of('MAX(revision) FROM revision_writers'),
        epoch: of('MAX(link_epoch) FROM products'),
        id: of('MAX(id) FROM audit_log'),
      };
      db.close();
      return numbers;
    };
    const later = await openSqliteStorage({ file, writerName: 'node-2', inline: true });
    await later.createClient(client('later'));
    await later.close();
    await restored();
    const first = far();
    await restored();
    const second = far();
    expect(first.head).toBeGreaterThan(1_000_000);
    for (const [what, number] of Object.entries(first))
      expect([what, (second[what] ?? 0) > number + 999_990]).toEqual([what, true]);
    const audit = await opened();
    expect(await firstFault(audit)).toBeUndefined();
    expect(await eventsIn(audit, 'database-restored')).toHaveLength(1);
    await audit.close();
  });

  test('is what comes next for who reads the audit on, wherever he stood, and no gap to who verifies it', async () => {
    await filled(withLinkedGate);
    await backedUp();
    const storage = await opened();
    for (let n = 0; n < 20; n += 1) await storage.createClient(client(`later ${n}`));
    const lastRead = (await eventsIn(storage)).at(-1)?.id ?? 0;
    await storage.close();
    await restored();
    const again = await opened();
    const [first] = await again.listAudit(ANY, { afterId: lastRead, newestFirst: false }, 1);
    expect(first?.kind).toBe('database-restored');
    expect(first?.id).toBeGreaterThanOrEqual(lastRead + 1_000_000);
    expect(await firstFault(again)).toBeUndefined();
    await again.createClient(client('behind it'));
    await again.close();
    expect(writtenAudit(file).problems).toEqual([]);
    tamper(file, 'DELETE FROM audit_log WHERE id = (SELECT MAX(id) - 1 FROM audit_log)');
    const cut = await opened();
    expect(await firstFault(cut)).toBeDefined();
    await cut.close();
  });

  test('is archived, also in an archive that begins with it', async () => {
    await filled(withLinkedGate);
    await backedUp();
    await restored(false, NOW_MS + 1_000);
    const storage = await opened();
    const rows = await eventsIn(storage);
    const key = await openAuditKey(dataDir, systemRandomness, async () => {});
    const archive = (name: string, beforeMs: number) =>
      archiveAudit(
        {
          store: storage,
          files: archiveFiles,
          key,
          wallClock: { epochMs: () => NOW_MS + 5_000 },
          pause: async () => {},
          progress: { written() {}, verified() {}, removed() {} },
        },
        { beforeMs, file: join(folder, name) },
      );
    const first = await archive('a.gz', NOW_MS + 1_000);
    const second = await archive('b.gz', NOW_MS + 5_000);
    expect(second?.fromId).toBeGreaterThanOrEqual((first?.toId ?? 0) + 1_000_000);
    expect(first?.records).toBe(first?.toId);
    const archives = ['a.gz', 'b.gz'].flatMap((name) => archiveFiles.open(join(folder, name)) ?? []);
    for (const given of [[], archives.slice(1), archives]) {
      expect((await verifyAudit(storage, { key, archives: given })).findings).toEqual([]);
    }
    const read = [];
    for await (const page of everyRow(storage, archives)) read.push(...page);
    const wasThere = new Set(rows.map(({ id }) => id));
    expect(read.filter(({ id }) => wasThere.has(id))).toEqual(rows);
    await storage.close();
  });

  test('into an audit that begins with it leaves no id of before', async () => {
    await filled(async () => {});
    await backedUp();
    const storage = await opened();
    await storage.createClient(client('later'));
    const lastId = (await recordsIn(storage)).at(-1)?.id ?? 0;
    await storage.close();
    await restored();
    const again = await opened();
    const [first] = await recordsIn(again);
    expect(first).toMatchObject({ kind: 'audit-begun' });
    expect(first?.id).toBeGreaterThan(lastId);
    expect(await firstFault(again)).toBeUndefined();
    await again.close();
  });

  test.each<[string, () => void]>([
    ['on a new machine', () => rmSync(file)],
    ['over one that cannot be read', () => writeFileSync(file, 'Dear diary, '.repeat(1000))],
  ])('%s goes further the later it is', async (_, lose) => {
    await filled(withLinkedGate);
    await backedUp();
    const epochs: number[] = [];
    const heads: number[] = [];
    for (const daysLater of [1, 2]) {
      lose();
      await restored(!existsSync(file), NOW_MS + daysLater * 86_400_000);
      const db = openReadConnection(file);
      epochs.push(db.prepare<[], number>('SELECT link_epoch FROM products').pluck().get() ?? 0);
      heads.push(db.prepare<[], number>("SELECT seq FROM audit_writers WHERE name = 'cli'").pluck().get() ?? 0);
      db.close();
    }
    const [[firstEpoch = 0, secondEpoch = 0], [firstHead = 0, secondHead = 0]] = [epochs, heads];
    expect(secondEpoch - firstEpoch).toBe(86_400);
    expect(secondHead - firstHead).toBe(86_400_000);
    expect(firstEpoch).toBeGreaterThan(1_000_000);
  });
});
