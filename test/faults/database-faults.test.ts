/** T13: the database is locked, or its disk is full. Nothing moves that is not on record, and it heals by itself. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import Sqlite from 'better-sqlite3';
import { commandsIn } from '../support/command-log';
import { eventually, Installation, timed } from '../support/installation';
import { describeWhere } from '../support/needs';
import { repeat } from '../support/running-demo';
import { call } from '../support/server/api-client';

const WELL = ['executed', 'already-set'];

async function expectHealed(site: Installation): Promise<void> {
  await eventually(async () => (await call('GET', `${site.url}/readyz`)).status === 200);
  const level = (await site.state()).outputs[0]?.state === 1 ? 0 : 1;
  expect((await site.set(0, level)).text).toBe('OK');
  await eventually(async () => commandsIn(site.databaseFile).every(({ outcome }) => WELL.includes(outcome)));
}

describe('another connection holds the database’s lock', () => {
  let site: Installation;
  let unlock = (): void => {};
  beforeAll(async () => {
    site = await Installation.start();
  }, 60_000);
  afterAll(() => site?.stop());
  beforeEach(() => site.settle(), 40_000);
  afterEach(() => unlock());

  function lock(): void {
    const db = new Sqlite(site.databaseFile);
    db.exec('BEGIN IMMEDIATE');
    unlock = () => db.close();
  }

  test.each(repeat(2, 10))('500 within about a second, nothing moves, the link stays; it heals by itself', async () => {
    lock();
    const commands = site.relay.frames.filter(({ type }) => type === 'command').length;
    for (const _ of Array(2)) {
      const { answer, tookMs } = await timed(site.set(0, 1));
      expect(answer).toMatchObject({ status: 500, json: { error: 'unknown' } });
      expect(tookMs).toBeLessThan(1_200);
    }
    await eventually(async () => (await call('GET', `${site.url}/readyz`)).status === 503);
    // Reading needs no lock.
    expect((await site.state()).connected).toBe(true);
    expect(site.relay.frames.filter(({ type }) => type === 'command')).toHaveLength(commands);
    expect(site.newEdges()).toEqual([]);
    unlock();
    await expectHealed(site);
    expect(site.newEdges()).toHaveLength(1);
  });

  test.each(repeat(2, 10))(
    'from the moment a command is sent: still 200, not ready, and its outcome follows (I9)',
    async () => {
      site.relay.onFrame = ({ type }) => {
        if (type !== 'command') return;
        site.relay.onFrame = () => {};
        lock();
      };
      const answer = await site.set(0, 1);
      expect(answer.text).toBe('OK');
      const commandId = answer.headers.get('command-id');
      // To readers it is told from memory meanwhile.
      expect(await site.outcomeOf(commandId)).toBe('executed');
      await eventually(async () => (await call('GET', `${site.url}/readyz`)).status === 503);
      expect(commandsIn(site.databaseFile).at(-1)).toEqual({ commandId, outcome: 'pending' });
      unlock();
      await expectHealed(site);
      expect(site.newEdges()).toHaveLength(2);
    },
  );
});

const DISK_BYTES = 4 * 1024 * 1024;
const describeWithDisk = describeWhere(diskMissing());

describeWithDisk('the disk is full', () => {
  let disk: string;
  let site: Installation;
  beforeAll(async () => {
    disk = mkdtempSync(join(tmpdir(), 'rg-full-'));
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${DISK_BYTES},mode=700`, 'relaygate-test', disk]);
    site = await Installation.start({ serverDir: disk });
  }, 60_000);
  afterAll(async () => {
    await site?.stop();
    execFileSync('umount', [disk]);
    rmSync(disk, { recursive: true });
  });
  beforeEach(() => site.settle(), 40_000);
  afterEach(() => rmSync(join(disk, 'filler'), { force: true }));

  test.each(repeat(2, 10))(
    '500 and nothing moves; each 200 has its edge; it heals by itself when there is room',
    async () => {
      const filler = join(disk, 'filler');
      fillUp(filler);
      const statuses: number[] = [];
      // The log may have some room left in it.
      while (statuses.filter((status) => status === 500).length < 3) {
        const answer = await site.toggle(0);
        statuses.push(answer.status);
        if (answer.status === 500) expect(answer.json).toEqual({ error: 'unknown' });
        expect(site.newEdges()).toHaveLength(answer.status === 200 ? 1 : 0);
        expect(statuses.length).toBeLessThan(500);
      }
      expect(statuses.filter((status) => status !== 200 && status !== 500)).toEqual([]);
      // Its last probe may be a second old.
      await eventually(async () => (await call('GET', `${site.url}/readyz`)).status === 503);
      expect((await site.state()).connected).toBe(true);
      rmSync(filler);
      await expectHealed(site);
    },
    60_000,
  );

  test('a server killed while its disk is full starts again when there is room, with every acknowledged command', async () => {
    const acknowledged = (await site.set(0, 1)).headers.get('command-id');
    await eventually(async () => commandsIn(site.databaseFile).at(-1)?.outcome === 'executed');
    const filler = join(disk, 'filler');
    fillUp(filler);
    await eventually(async () => (await site.toggle(0)).status === 500);
    site.server.kill('SIGKILL');
    await site.server.ended;
    rmSync(filler);
    await site.startServer();
    await site.untilConnected();
    expect(await site.outcomeOf(acknowledged)).toBe('executed');
    expect((await site.toggle(0)).text).toBe('OK');
  }, 60_000);
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
