import { createSecretKey } from 'node:crypto';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { backUp } from '@relaygate/server/copies/back-up';
import { restore } from '@relaygate/server/copies/restore';
import { composeCore } from '@relaygate/server/core';
import { checkpointFile } from '@relaygate/server/files/checkpoint-file';
import { databaseFile } from '@relaygate/server/files/data-folder';
import { readSettings } from '@relaygate/server/settings';
import { openSqliteStorage } from '@relaygate/server/storage/sqlite/sqlite-storage';
import type { Storage } from '@relaygate/server/storage/storage';
import { PENDING_SWEEP_MS } from '@relaygate/shared';
import { systemRandomness } from '@relaygate/shared/system';
import { command, outcome, withAppAndGate } from '../contract/storage/samples';
import { folderForEach } from '../support/processes/fresh-folder';
import { collectingLog } from '../support/server/collecting-log';
import { VirtualClock } from '../support/time/virtual-clock';

const key = createSecretKey(Buffer.alloc(32));
const SECRETS = { accessKey: key, accessKeyId: 'k1', refreshSecret: key, auditKey: key };

const dataDir = folderForEach('rg-unresolved-');
let opened: Storage[];
beforeEach(() => {
  opened = [];
});
afterEach(async () => {
  for (const storage of opened) await storage.close();
});

async function storageOf(writerName: string): Promise<Storage> {
  const storage = await openSqliteStorage({ file: databaseFile(dataDir), writerName, inline: true });
  opened.push(storage);
  return storage;
}

/** What a run of the node `node-1` leaves that is killed with this command in flight. */
async function killedRun(): Promise<void> {
  const storage = await storageOf('node-1');
  await withAppAndGate(storage);
  await storage.recordCommand(command('c1'));
}

/** The core of a server over this folder, on a clock that the test moves. */
async function server(nodeName: string) {
  const clock = new VirtualClock();
  const storage = await storageOf(nodeName);
  const settings = { ...readSettings({}), nodeName };
  const ports = { clock, wallClock: clock, randomness: systemRandomness, log: collectingLog() };
  const core = composeCore({ settings, storage, secrets: SECRETS, ...ports });
  return { core, storage, clock };
}

const INTERRUPTED = { outcome: 'unknown', reason: 'server-restarted' };

test('a server that starts under another node name leaves no command pending', async () => {
  await killedRun();
  const { core, storage } = await server('gatehouse');
  await core.begin();
  expect(await storage.findCommand('c1')).toMatchObject(INTERRUPTED);
});

test('a server that starts on a restored backup leaves no command pending', async () => {
  await killedRun();
  const copy = join(dataDir, 'backup.db');
  const progress = { copied() {}, verified() {}, migrated() {} };
  await backUp(dataDir, copy, progress, {});
  const who = { writerName: 'cli', actor: 'cli as ana', atMs: 0 };
  for (const storage of opened.splice(0)) await storage.close();
  const audit = { randomness: systemRandomness, checkpointFile: checkpointFile({ dataDir }) };
  await restore(copy, { dataDir, ...who, ...audit, progress, isNew: false });
  const { core, storage } = await server('node-1');
  expect(await storage.pendingCommands(10)).toEqual(['c1']);
  await core.begin();
  expect(await storage.findCommand('c1')).toMatchObject(INTERRUPTED);
  expect(await storage.pendingCommands(10)).toEqual([]);
});

test('a running server settles what another process recorded and nobody settles, and a late report still counts', async () => {
  const { core, storage, clock } = await server('node-1');
  await core.begin();
  core.watch();
  await killedRun();
  await clock.advance(2 * PENDING_SWEEP_MS - 1);
  expect(await storage.findCommand('c1')).toMatchObject({ outcome: 'pending' });
  await clock.advance(1);
  expect(await storage.findCommand('c1')).toMatchObject({ outcome: 'unknown', reason: 'outcome-lost' });
  expect(await storage.recordOutcome(outcome('c1', { outcome: 'confirmed-late' }))).toBe(true);
  expect(await storage.findCommand('c1')).toMatchObject({ outcome: 'confirmed-late' });
});
