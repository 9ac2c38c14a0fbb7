import { createSecretKey } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import { type Checkpoint, checkpointEntry, headsText, signCheckpoint } from '@relaygate/server/audit/checkpoint';
import type { CheckpointKeeper } from '@relaygate/server/audit/checkpoint-keeping';
import { Checkpoints } from '@relaygate/server/audit/checkpoints';
import { CHECKPOINT_EVERY_MS, KEEP_CHECKPOINT_MS, KEEP_LAST_CHECKPOINT_MS } from '@relaygate/shared';
import { AuditMaker } from '../../../support/server/audit-maker';
import { collectingLog } from '../../../support/server/collecting-log';
import { VirtualClock } from '../../../support/time/virtual-clock';

const KEY = createSecretKey(Buffer.alloc(32, 1));
const OTHER_KEY = createSecretKey(Buffer.alloc(32, 2));
const entryOf = (key: typeof KEY, audit: AuditMaker) => checkpointEntry(signCheckpoint(key, 7, audit.heads()));

function running(last?: Checkpoint, { audit = new AuditMaker(), clock = new VirtualClock(), node = 'node-1' } = {}) {
  const log = collectingLog();
  const kept: Checkpoint[] = [];
  /** `hangs`: until the attempt is given up; `deadly`: for ever. */
  const faults = { database: false, file: false, hangs: false, deadly: false, unanswered: false };
  const unanswered: (() => void)[] = [];
  const attempts: Checkpoint[] = [];
  const hanging: (() => void)[] = [];
  const keeper: CheckpointKeeper = {
    last,
    async keep(checkpoint, signal) {
      attempts.push(checkpoint);
      if (faults.file) throw new Error('ENOSPC');
      if (faults.hangs)
        await new Promise<void>((resolve, reject) => {
          hanging.push(resolve);
          if (!faults.deadly) signal.addEventListener('abort', () => reject(new Error('killed')));
        });
      kept.push(checkpoint);
    },
  };
  const store = {
    auditHeads: async () => audit.heads(),
    newestRecord: async () => audit.newest(),
    async appendCheckpoint(key: typeof KEY, atMs: number) {
      if (faults.unanswered) await new Promise<void>((resolve) => void unanswered.push(resolve));
      if (faults.database) throw new Error('locked');
      audit.add(node, checkpointEntry(signCheckpoint(key, atMs, audit.heads())));
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
  return { clock, audit, kept, attempts, hanging, unanswered, faults, checkpoints, minutes, levels, log };
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

describe('of several nodes,', () => {
  /** Each looks a second after the one before. */
  const atWork = async () => {
    const shared = { audit: new AuditMaker(), clock: new VirtualClock() };
    const nodes: ReturnType<typeof running>[] = [];
    for (const node of ['a', 'b', 'c']) {
      shared.audit.add(node);
      nodes.push(running(undefined, { ...shared, node }));
      await shared.clock.advance(1_000);
    }
    await nodes[0]?.minutes(2);
    const minutes = (count: number) => nodes[0]?.minutes(count);
    const files = () => nodes.map(({ kept }) => headsText(kept.at(-1)?.heads ?? []));
    return { ...shared, nodes, minutes, files };
  };
  const sorted = (audit: AuditMaker) => headsText(signCheckpoint(KEY, 0, audit.heads()).heads);

  test('one appends a checkpoint that holds all, and each of the others keeps it in its file and its log', async () => {
    const { audit, nodes, minutes, files } = await atWork();
    audit.add('cli');
    expect(await minutes(10)).toBe(2);
    audit.add('cli');
    expect(await minutes(10)).toBe(3);
    expect(files()).toEqual(Array(3).fill(sorted(audit)));
    expect(new Set(nodes.map(({ kept }) => kept.at(-1)?.mac)).size).toBe(1);
    for (const { levels } of nodes) expect(levels()).toEqual(Array(3).fill('info audit checkpoint'));
  });

  test.each<[string, (audit: AuditMaker) => unknown]>([
    ['with another record behind it', (audit) => audit.add('b', entryOf(KEY, audit)).add('cli')],
    ['of another key', (audit) => audit.add('b', entryOf(OTHER_KEY, audit))],
    [
      'that lacks another record',
      (audit) => {
        const entry = entryOf(KEY, audit);
        audit.add('c').add('b', entry);
      },
    ],
    [
      'that lacks one of its own chain',
      (audit) => {
        const entry = entryOf(KEY, audit);
        audit.add('b').add('b', entry);
      },
    ],
  ])('none takes one %s for its own', async (_what, append) => {
    const { audit, minutes, files } = await atWork();
    audit.add('cli');
    await minutes(1);
    append(audit);
    const before = audit.records.filter(({ kind }) => kind === 'checkpoint').length;
    expect(await minutes(1)).toBe(before + 1);
    expect(files()).toEqual(Array(3).fill(sorted(audit)));
  });

  test('each makes its own for a database that was put back, although that ends with a checkpoint', async () => {
    const { audit, clock, minutes } = await atWork();
    audit.add('cli');
    await minutes(1);
    const newer = new AuditMaker().add('a').add('cli').add('cli');
    const behind = running(signCheckpoint(KEY, 9, newer.heads()), { audit, clock, node: 'd' });
    expect(await behind.minutes()).toBe(3);
  });
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
  const { audit, faults, minutes, kept, levels, checkpoints } = running();
  audit.add('cli');
  faults.file = true;
  expect(checkpoints.isNotKept).toBe(false);
  expect(await minutes(2)).toBe(1);
  expect(checkpoints.isNotKept).toBe(true);
  expect(levels()).toContain('error audit checkpoint not written to its file, tried again in a minute');
  faults.file = false;
  expect(await minutes(2)).toBe(1);
  expect(kept).toHaveLength(1);
  expect(checkpoints.isNotKept).toBe(false);
});

const TOO_LONG = 'error audit checkpoint not written to its file: it takes too long';

test('a file that hangs is given up after some seconds and tried again, and keeps no checkpoint out of the audit', async () => {
  const { audit, clock, faults, minutes, kept, levels, checkpoints } = running();
  faults.hangs = true;
  audit.add('cli');
  expect(await minutes()).toBe(1);
  await clock.advance(KEEP_CHECKPOINT_MS);
  expect(levels()).toEqual(['info audit checkpoint', TOO_LONG]);
  expect(checkpoints.isNotKept).toBe(true);
  faults.hangs = false;
  audit.add('cli');
  expect(await minutes()).toBe(2);
  expect(kept.map(({ heads }) => heads)).toEqual([
    audit.heads().sort((one, other) => (one.writer < other.writer ? -1 : 1)),
  ]);
});

test('an attempt that nothing can end is the only one', async () => {
  const { audit, faults, minutes, attempts, levels } = running();
  faults.hangs = faults.deadly = true;
  for (let minute = 1; minute <= 3; minute += 1) {
    audit.add('cli');
    expect(await minutes()).toBe(minute);
  }
  expect(attempts).toHaveLength(1);
  expect(levels()).toContain('error audit checkpoint not written to its file: the last attempt has not ended');
});

test.each([false, true])('a stop waits briefly for a file that hangs (for ever: %s)', async (deadly) => {
  const { audit, faults, checkpoints, clock, attempts, levels } = running();
  Object.assign(faults, { hangs: true, deadly });
  audit.add('cli');
  const stopped = checkpoints.stop();
  await clock.advance(KEEP_LAST_CHECKPOINT_MS);
  await stopped;
  expect(levels()).toEqual(['info audit checkpoint', TOO_LONG]);
  expect(attempts).toHaveLength(1);
  expect(clock.pendingTimers).toBe(0);
});

test.each(['the last one', 'the one of that minute'])(
  'a stop waits briefly for a database that hangs: %s',
  async (which) => {
    const { audit, faults, checkpoints, clock, minutes, attempts, unanswered, levels } = running();
    faults.unanswered = true;
    audit.add('cli');
    if (which !== 'the last one') await minutes();
    let isOver = false;
    void checkpoints.stop().then(() => {
      isOver = true;
    });
    await clock.advance(KEEP_LAST_CHECKPOINT_MS - 1);
    expect(isOver).toBe(false);
    await clock.advance(1);
    expect(isOver).toBe(true);
    expect(clock.pendingTimers).toBe(0);
    // What it answers later begins nothing any more.
    faults.unanswered = false;
    faults.database = true;
    unanswered[0]?.();
    await clock.advance(0);
    expect(attempts).toEqual([]);
    expect(levels()).toEqual(['warn audit checkpoint not written when the server stopped']);
  },
);

test('a stop whose database answers late leaves its file no more than the rest of that time', async () => {
  const { audit, faults, checkpoints, clock, unanswered, attempts, levels } = running();
  Object.assign(faults, { unanswered: true, hangs: true });
  audit.add('cli');
  const stopped = checkpoints.stop();
  await clock.advance(KEEP_LAST_CHECKPOINT_MS - 1_000);
  unanswered[0]?.();
  await clock.advance(1_000);
  await stopped;
  expect(attempts).toHaveLength(1);
  expect(levels()).toEqual(['info audit checkpoint', TOO_LONG]);
  expect(clock.pendingTimers).toBe(0);
});

test('a checkpoint that the database takes behind the stop is not brought to its file', async () => {
  const { audit, faults, checkpoints, clock, unanswered, attempts, levels } = running();
  faults.unanswered = true;
  audit.add('cli');
  const stopped = checkpoints.stop();
  await clock.advance(KEEP_LAST_CHECKPOINT_MS);
  await stopped;
  unanswered[0]?.();
  await clock.advance(0);
  expect(attempts).toEqual([]);
  expect(levels()).toEqual(['info audit checkpoint']);
});

test('a stop keeps the last one behind an attempt that ends in time', async () => {
  const { audit, faults, checkpoints, clock, minutes, kept, hanging } = running();
  faults.hangs = true;
  audit.add('cli');
  await minutes();
  audit.add('cli');
  faults.hangs = false;
  const stopped = checkpoints.stop();
  await clock.advance(0);
  expect(kept).toHaveLength(0);
  hanging[0]?.();
  await stopped;
  expect(kept).toHaveLength(2);
  expect(clock.pendingTimers).toBe(0);
});
