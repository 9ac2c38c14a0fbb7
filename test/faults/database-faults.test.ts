/** T13: the database is locked, or its disk is full. Nothing moves that is not on record, and it heals by itself. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { openSqlite } from '@relaygate/server/storage/sqlite/sqlite';
import { STORAGE_WRITE_TIMEOUT_MS } from '@relaygate/shared';
import { monotonicNowMs } from '@relaygate/shared/system';
import { elapsedMs, Fault, MANY_PAIRS, PLAY_LIMIT_MS } from '../support/faults/fault';
import type { Pair } from '../support/faults/pair';
import { Site } from '../support/faults/site';
import { describeWhere } from '../support/processes/needs';
import { expectWithin } from '../support/time/timed';
import { eventually } from '../support/time/waiting';

const T13 = new Fault('T13', 'database locked, disk full', 'healed by itself');
const WELL = ['executed', 'already-set', 'confirmed-late'];
/** The write is given up after a second; the answer may take what any answer may. */
const REFUSED_WITHIN_MS = STORAGE_WRITE_TIMEOUT_MS + 300;

let site: Site;
const onAll = <T>(body: (pair: Pair) => Promise<T>): Promise<T[]> => Promise.all(site.pairs.map(body));

/** Resolves with how long it takes until it is ready, serves commands, and each has its outcome on record. */
async function healed(): Promise<number> {
  const startMs = monotonicNowMs();
  await eventually(() => site.isReady());
  await onAll(async (pair) => {
    expect((await pair.toggle(0)).text).toBe('OK');
    await eventually(() => pair.commands().every(({ outcome }) => WELL.includes(outcome)));
  });
  return elapsedMs(startMs);
}

describe('T13: another connection holds the database’s lock', () => {
  let unlock = (): void => {};
  beforeAll(async () => {
    site = await Site.start({ pairs: MANY_PAIRS });
  }, 120_000);
  afterAll(() => site?.stop(), 60_000);

  async function playLocked(body: () => Promise<number>): Promise<void> {
    await T13.playOnAll(site, { few: 4, full: 40 }, async () => {
      try {
        return await body();
      } finally {
        unlock();
      }
    });
  }

  function lock(): void {
    const db = openSqlite(site.databaseFile);
    db.exec('BEGIN IMMEDIATE');
    unlock = () => db.close();
  }

  test(
    '500 within about a second, nothing moves, the link stays; it heals by itself',
    () =>
      playLocked(async () => {
        lock();
        await onAll(async (pair) => {
          const commands = pair.relay.count('command');
          for (const _ of Array(2)) {
            const { status, text, ...times } = await pair.set(0, 1);
            expect({ status, text }).toEqual({ status: 500, text: '{"error":"unknown"}' });
            expectWithin(times, REFUSED_WITHIN_MS, [site.server.pid]);
          }
          expect(pair.relay.count('command')).toBe(commands);
          expect(pair.edges()).toEqual([]);
          // Reading needs no lock.
          expect((await pair.state()).connected).toBe(true);
        });
        await eventually(() => site.isUnready());
        unlock();
        return healed();
      }),
    PLAY_LIMIT_MS,
  );

  test(
    'from the moment a command is sent: still 200, not ready, and its outcome follows (I9)',
    () =>
      playLocked(async () => {
        let isLocked = false;
        // The first command that is sent shuts the database for all: some are not on record yet, and are refused.
        const called = await onAll(async (pair) => {
          void pair.relay.atNextFrame('command', () => {
            if (!isLocked) lock();
            isLocked = true;
          });
          return { pair, answer: await pair.set(0, 1) };
        });
        const done = called.filter(({ answer }) => answer.status === 200);
        expect(done.length).toBeGreaterThan(0);
        expect(called.filter(({ answer }) => answer.status !== 200 && answer.status !== 500)).toEqual([]);
        await eventually(() => site.isUnready());
        for (const { pair, answer } of done) {
          // To readers it is told from memory meanwhile.
          expect(await pair.outcomeOf(answer)).toBe('executed');
          expect(pair.commands()).toMatchObject([{ outcome: 'pending' }]);
        }
        unlock();
        return healed();
      }),
    PLAY_LIMIT_MS,
  );
});

const DISK_BYTES = 8 * 1024 * 1024;

describeWhere(diskMissing())('T13: the disk is full', () => {
  let disk: string;
  beforeAll(async () => {
    disk = mkdtempSync(join(tmpdir(), 'rg-full-'));
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${DISK_BYTES},mode=700`, 'relaygate-test', disk]);
    site = await Site.start({ pairs: MANY_PAIRS, serverDir: disk });
  }, 120_000);
  afterAll(async () => {
    await site?.stop();
    execFileSync('umount', [disk]);
    rmSync(disk, { recursive: true });
  }, 60_000);
  const filler = (): string => join(disk, 'filler');
  afterEach(() => rmSync(filler(), { force: true }));

  /** Toggles until it is refused: the log may have some room left in it. */
  async function untilRefused(pair: Pair): Promise<void> {
    for (let refused = 0; refused < 3; ) {
      const { status, text } = await pair.toggle(0);
      if (status !== 200) expect({ status, text }).toEqual({ status: 500, text: '{"error":"unknown"}' });
      if (status === 500) refused += 1;
    }
  }

  test(
    '500 and nothing moves; each 200 has its edge; it heals by itself when there is room',
    () =>
      T13.playOnAll(site, { few: 4, full: 40 }, async () => {
        fillUp(filler());
        await onAll(untilRefused);
        // Its last probe may be a second old.
        await eventually(() => site.isUnready());
        expect((await onAll((pair) => pair.state())).every(({ connected }) => connected)).toBe(true);
        rmSync(filler());
        return healed();
      }),
    PLAY_LIMIT_MS,
  );

  test(
    'a server killed while its disk is full starts again when there is room, with every acknowledged command',
    () =>
      T13.playOnAll(site, { few: 1, full: 20 }, async () => {
        await onAll((pair) => pair.set(1, 1));
        fillUp(filler());
        await onAll(untilRefused);
        await site.killServer();
        rmSync(filler());
        await site.startServer();
        await site.renewAgents();
        return healed();
      }),
    PLAY_LIMIT_MS,
  );
});

/** To the last byte. */
function fillUp(file: string): void {
  for (const chunkBytes of [65_536, 4_096, 1]) {
    try {
      for (;;) writeFileSync(file, Buffer.alloc(chunkBytes), { flag: 'a' });
    } catch (error) {
      // Of another realm under Jest, so told by its code.
      if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
    }
  }
}

function diskMissing(): string | undefined {
  const folder = mkdtempSync(join(tmpdir(), 'rg-full-'));
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=64k', 'relaygate-test', folder], { stdio: 'ignore' });
    execFileSync('umount', [folder]);
    return undefined;
  } catch {
    return 'the right to mount a small tmpfs (root), for a disk that is full (T13)';
  } finally {
    rmSync(folder, { recursive: true });
  }
}
