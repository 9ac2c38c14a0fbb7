import { createSecretKey } from 'node:crypto';
import { expect, test } from '@jest/globals';
import { type Checkpoint, checkpointEntry, signCheckpoint } from '@relaygate/server/audit/checkpoint';
import { type CheckpointKeeper, Checkpoints } from '@relaygate/server/audit/checkpoints';
import { CHECKPOINT_EVERY_MS } from '@relaygate/shared';
import { collectingLog } from '../../../support/collecting-log';
import { AuditMaker } from '../../../support/server/audit-maker';
import { VirtualClock } from '../../../support/virtual-clock';

const KEY = createSecretKey(Buffer.alloc(32, 1));

function running(last?: Checkpoint) {
  const [clock, log, audit] = [new VirtualClock(), collectingLog(), new AuditMaker()];
  const kept: Checkpoint[] = [];
  const faults = { database: false, file: false };
  const keeper: CheckpointKeeper = {
    last,
    keep(checkpoint) {
      if (faults.file) throw new Error('ENOSPC');
      kept.push(checkpoint);
    },
  };
  const store = {
    auditHeads: async () => audit.heads(),
    async appendCheckpoint(key: typeof KEY, atMs: number) {
      if (faults.database) throw new Error('locked');
      audit.add('node-1', checkpointEntry(signCheckpoint(key, atMs, audit.heads())));
      return signCheckpoint(key, atMs, audit.heads());
    },
  };
  const wallClock = { epochMs: () => 1_000 + clock.nowMs() };
  const checkpoints = new Checkpoints({ store, key: KEY, keeper, clock, wallClock, log });
  checkpoints.start();
  const minutes = async (count = 1) => {
    for (let n = 0; n < count; n += 1) await clock.advance(CHECKPOINT_EVERY_MS);
    return audit.records.filter(({ kind }) => kind === 'checkpoint').length;
  };
  const levels = () => log.lines.splice(0).map(({ level, event }) => `${level} ${event}`);
  return { clock, audit, kept, faults, checkpoints, minutes, levels, log };
}

test('each minute in which something was appended has one, whoever appended it', async () => {
  const { audit, minutes, kept } = running();
  expect(await minutes(3)).toBe(0);
  audit.add('cli');
  expect(await minutes(3)).toBe(1);
  audit.add('node-1').add('cli');
  expect(await minutes(3)).toBe(2);
  expect(kept.map(({ heads }) => heads)).toHaveLength(2);
  expect(kept[1]?.heads).toEqual(audit.heads().sort((one, other) => (one.writer < other.writer ? -1 : 1)));
});

test('the log has what the file has', async () => {
  const { audit, minutes, kept, log } = running();
  audit.add('cli');
  await minutes();
  const { fields } = log.lines[0] ?? {};
  expect(fields).toMatchObject({ at: expect.stringMatching(/Z$/), keyId: kept[0]?.keyId, mac: kept[0]?.mac });
  expect(fields?.heads).toContain(`node-1:1:${audit.headOf('node-1').hash}`);
});

test('a start without a change since the last checkpoint makes none', async () => {
  const first = running();
  first.audit.add('cli');
  await first.minutes();
  const again = running(first.kept[0]);
  again.audit.records = first.audit.records;
  const heads = first.audit.heads();
  again.audit.heads = () => heads;
  expect(await again.minutes(2)).toBe(1);
});

test('a stop makes a last one, and ends the timer', async () => {
  const { audit, checkpoints, minutes, clock } = running();
  audit.add('cli');
  await checkpoints.stop();
  expect(clock.pendingTimers).toBe(0);
  expect(await minutes(3)).toBe(1);
});

test('one that the database refuses is tried again, and the stop does not fail', async () => {
  const { audit, faults, minutes, levels, checkpoints } = running();
  audit.add('cli');
  faults.database = true;
  expect(await minutes(2)).toBe(0);
  expect(levels()).toEqual(Array(2).fill('warn audit checkpoint not written, tried again in a minute'));
  await checkpoints.stop();
  faults.database = false;
  const again = running();
  again.audit.add('cli');
  again.faults.database = true;
  await again.minutes();
  again.faults.database = false;
  expect(await again.minutes()).toBe(1);
});

test('one that the file refuses is written to it later, without another record', async () => {
  const { audit, faults, minutes, kept, levels } = running();
  audit.add('cli');
  faults.file = true;
  expect(await minutes(2)).toBe(1);
  expect(levels()).toContain('error audit checkpoint not written to its file, tried again in a minute');
  faults.file = false;
  expect(await minutes(2)).toBe(1);
  expect(kept).toHaveLength(1);
});
