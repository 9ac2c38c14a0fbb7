import { createSecretKey } from 'node:crypto';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, jest, test } from '@jest/globals';
import { verifyAudit } from '@relaygate/server/audit/verify-audit';
import { auditKeyFile, openAuditKey, readAuditKey } from '@relaygate/server/files/audit-key';
import { checkpointFile, readCheckpoint, saveCheckpoint } from '@relaygate/server/files/checkpoint-file';
import { openDatabase } from '@relaygate/server/storage/sqlite/database-file';
import { MIGRATIONS } from '@relaygate/server/storage/sqlite/migrations';
import { systemRandomness } from '@relaygate/shared/system';
import { writeOldRecords } from '../../support/server/first-format-records';
import { backedUp, checkpointBy, clientNames, dataDir, file, filled, folder, opened, restored } from './copies-bench';
import { client, NOW_MS, report, withLinkedGate } from './samples';

describe('restoring', () => {
  test('leaves a checkpoint behind, by which what came since is not missed', async () => {
    await filled();
    await backedUp();
    const storage = await opened();
    await storage.createClient(client('later'));
    const key = await openAuditKey(dataDir, systemRandomness, async () => {});
    const place = checkpointFile({ dataDir });
    const undone = await storage.appendCheckpoint(key, NOW_MS);
    saveCheckpoint(place, undone);
    await storage.close();
    await restored();
    const again = await opened();
    const checkpoint = readCheckpoint(place);
    expect(await verifyAudit(again, { key, checkpoint })).toMatchObject({ faults: 0, unconfirmed: [] });
    const texts = (await verifyAudit(again, { key, checkpoint: undone })).findings.map(({ text }) => text);
    expect(texts).toEqual(['a restore has undone record 5']);
    await again.close();
  });

  test('beside another key than the one of the backup records that the key was changed', async () => {
    await filled();
    const storage = await opened();
    const old = await openAuditKey(dataDir, systemRandomness, async () => {});
    const { heads } = await storage.appendCheckpoint(old, NOW_MS);
    await storage.close();
    await backedUp();
    rmSync(auditKeyFile(dataDir));
    await restored();
    const again = await opened();
    const key = readAuditKey(dataDir);
    const evidence = { key, expected: heads, checkpoint: readCheckpoint(checkpointFile({ dataDir })) };
    const checkpoints = { good: 1, unchecked: 1, keyChangedAtMs: NOW_MS };
    expect(await verifyAudit(again, evidence)).toMatchObject({ faults: 0, unconfirmed: [], checkpoints });
    await again.close();
  });

  test('warns where the disk does not take that checkpoint', async () => {
    await filled();
    await backedUp();
    mkdirSync(checkpointFile({ dataDir }));
    expect(await restored()).toMatchObject({
      checkpointFault: expect.stringMatching(/^The database is restored, but .*EISDIR/),
    });
    expect(await clientNames()).toEqual(['app']);
  });

  test('does not wait for ever for a disk that hangs with that checkpoint', async () => {
    await filled();
    await backedUp();
    // A program that does nothing stands for it.
    const stub = join(folder, 'stub');
    writeFileSync(stub, '#!/bin/sh\nexec sleep 60\n', { mode: 0o755 });
    jest.replaceProperty(process, 'execPath', stub);
    const timeout = AbortSignal.timeout.bind(AbortSignal);
    jest.spyOn(AbortSignal, 'timeout').mockImplementation(() => timeout(100));
    expect(await restored()).toMatchObject({ checkpointFault: expect.stringContaining('is not in its file') });
    expect(await clientNames()).toEqual(['app']);
  });

  test('of a backup whose audit is of the first format jumps in all its chains', async () => {
    mkdirSync(dataDir);
    const db = openDatabase(file, MIGRATIONS.slice(0, 4));
    writeOldRecords(db, 'cli', [{ kind: 'associated' }, { kind: 'dissociated' }]);
    const [, last] = writeOldRecords(db, 'node-1', [{ kind: 'command' }, { kind: 'outcome' }]);
    db.close();
    await backedUp();
    await restored();
    const storage = await opened();
    const heads = (await storage.auditHeads())?.map(({ writer, seq }) => [writer, seq]);
    expect(heads).toEqual([
      ['@writers', 1_000_003],
      ['cli', 1_000_003],
      ['node-1', 1_000_002],
    ]);
    const expected = [{ writer: 'node-1', seq: 2, hash: last?.hash ?? '' }];
    expect(await verifyAudit(storage, { expected })).toMatchObject({ faults: 0 });
    await storage.close();
  });

  test('takes a backup whose checkpoints another key has made, such as that of another machine, and says so', async () => {
    await filled();
    await checkpointBy(createSecretKey(Buffer.alloc(32, 1)));
    await backedUp();
    const { audit } = await restored();
    expect(audit.findings).toMatchObject([{ fault: 'other-key' }]);
    const storage = await opened();
    const checkpoint = readCheckpoint(checkpointFile({ dataDir }));
    expect(await verifyAudit(storage, { key: readAuditKey(dataDir), checkpoint })).toMatchObject({ faults: 0 });
    await storage.close();
  });

  test('whoever listened after the backup gets the state of everything again', async () => {
    await filled(withLinkedGate);
    await backedUp();
    const before = await opened();
    await before.saveReport('gate', 1, report());
    const { cursor } = await before.changesSince(new Map(), 100);
    await before.close();
    await restored();
    const after = await opened();
    const { changes } = await after.changesSince(cursor, 100);
    expect(changes.map(({ kind }) => kind).sort()).toEqual(['output', 'output', 'product']);
    expect(changes.find(({ kind }) => kind === 'output')).toMatchObject({ observedAtMs: null });
    await after.close();
  });
});
