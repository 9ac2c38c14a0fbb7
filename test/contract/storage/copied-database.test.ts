import { copyFileSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, test } from '@jest/globals';
import { backUp } from '@relaygate/server/copies/back-up';
import { restore } from '@relaygate/server/copies/restore';
import { separateCopy } from '@relaygate/server/copies/separate-copy';
import { openDatabase, openReadConnection, openWriteConnection } from '@relaygate/server/storage/sqlite/database-file';
import { openSqliteStorage } from '@relaygate/server/storage/sqlite/sqlite-storage';
import { MAX_EPOCH_STEP, type Randomness } from '@relaygate/shared';
import { systemClock, systemRandomness } from '@relaygate/shared/system';
import { folderForEach } from '../../support/processes/fresh-folder';
import { eventsIn } from '../../support/server/audit-records';
import { VirtualClock } from '../../support/time/virtual-clock';
import { firstFault } from './first-fault';
import { client, command, NOW_MS, report, withLinkedGate } from './samples';

/** A database file that somebody has copied, or only moved. */
const folder = folderForEach('rg-copied-');
const [file, other] = [join(folder, 'data', 'relaygate.db'), join(folder, 'other', 'relaygate.db')];
beforeEach(() => {
  for (const name of ['data', 'other']) mkdirSync(join(folder, name));
});

const opened = (path = file) => openSqliteStorage({ file: path, writerName: 'cli', inline: true });

const DEPS = { writerName: 'node-1', atMs: NOW_MS, clock: systemClock, randomness: systemRandomness };

/** As a server does when it starts. */
const separated = (path = file, atMs = NOW_MS, isServerRunning = false, randomness = systemRandomness) =>
  separateCopy(path, { ...DEPS, atMs, randomness, isServerRunning: () => isServerRunning });

async function used(): Promise<void> {
  await (await withLinkedGate(await opened())).close();
  expect(await separated()).toBe(false);
}

function numbersOf(path: string): Record<string, number> {
  const db = openReadConnection(path);
  const of = (what: string) => db.prepare<[], number>(`SELECT ${what}`).pluck().get() ?? 0;
  const numbers = {
    head: of("MIN(seq) FROM audit_writers WHERE name IN ('@writers', 'cli')"),
    revision: of("revision FROM revision_writers WHERE name = 'cli'"),
    epoch: of('MIN(link_epoch) FROM products'),
    id: of('MAX(id) FROM audit_log'),
  };
  db.close();
  return numbers;
}

function expectAhead(before: Record<string, number>, after: Record<string, number>): void {
  for (const [what, number] of Object.entries(before)) {
    expect([what, (after[what] ?? 0) >= number + 1_000_000]).toEqual([what, true]);
  }
}

function changeLocation(column: string): void {
  const db = openWriteConnection(file);
  db.exec(`UPDATE location SET ${column} = 'x' || ${column}`);
  db.close();
}

/** As another program that has looked. */
function bringHome(): void {
  const db = openWriteConnection(file);
  db.exec("UPDATE location SET inode = REPLACE(inode, 'x', '')");
  db.close();
}

test('a copy goes on far ahead of the original, in all that it numbers, once', async () => {
  await used();
  const before = numbersOf(file);
  copyFileSync(file, other);
  expect([await separated(), await separated(other)]).toEqual([false, true]);
  expect(numbersOf(file)).toEqual(before);
  const after = numbersOf(other);
  expectAhead(before, after);
  expect(await separated(other)).toBe(false);
  expect(numbersOf(other)).toEqual(after);
});

/** Numbers of a new copy of the same original. */
async function copyNumbers(atMs: number, randomness = systemRandomness): Promise<Record<string, number>> {
  rmSync(other, { force: true });
  copyFileSync(file, other);
  await separated(other, atMs, false, randomness);
  return numbersOf(other);
}

test('a copy of the same original that comes later goes further', async () => {
  await used();
  const sameEachTime: Randomness = { bytes: (size) => new Uint8Array(size), fraction: () => 0 };
  const [first, second] = [
    await copyNumbers(NOW_MS + 86_400_000, sameEachTime),
    await copyNumbers(NOW_MS + 2 * 86_400_000, sameEachTime),
  ];
  expect(second.epoch).toBe((first.epoch ?? 0) + 86_400);
  expect(second.head).toBe((first.head ?? 0) + 86_400_000);
});

test.each([
  ['at the same moment', Date.UTC(2030)],
  ['where the clock is not set', 0],
])('copies of one original that start %s are apart', async (_, atMs) => {
  await used();
  const copies = [];
  for (let n = 0; n < 4; n += 1) copies.push(await copyNumbers(atMs));
  for (const what of ['epoch', 'head', 'revision', 'id']) {
    expect([what, new Set(copies.map((numbers) => numbers[what])).size]).toEqual([what, 4]);
  }
});

test('a database that is elsewhere 500 times stays where every device takes its epochs, and a backup goes beyond it', async () => {
  await used();
  const backup = await backedUp();
  // While it is open, the log is not copied back 500 times.
  const db = openWriteConnection(file);
  db.pragma('synchronous = OFF');
  for (let n = 0; n < 500; n += 1) {
    db.exec("UPDATE location SET machine = 'x' || machine");
    expect(await separated(file, Date.UTC(2030))).toBe(true);
  }
  db.close();
  const before = numbersOf(file);
  await restored(backup, Date.UTC(2030));
  const after = numbersOf(file);
  expectAhead(before, after);
  expect(after.epoch).toBeLessThan(MAX_EPOCH_STEP / 2);
  for (const number of Object.values(after)) expect(number).toBeLessThan(Number.MAX_SAFE_INTEGER / 100);
});

test('the audit of a copy is sound, and says it once', async () => {
  await used();
  copyFileSync(file, other);
  await separated(other);
  const storage = await opened(other);
  await storage.createClient(client('behind it'));
  expect(await firstFault(storage)).toBeUndefined();
  const [copied, ...more] = await eventsIn(storage, 'database-copied');
  expect(copied).toMatchObject({ writer: 'node-1', atMs: NOW_MS, details: { from: 'another file' } });
  expect(more).toEqual([]);
  await storage.close();
});

test('whoever listened to the original gets the state of everything from the copy', async () => {
  await used();
  const original = await opened();
  await original.saveReport('gate', 1, report());
  await original.recordCommand(command('c1'));
  const cursor = await original.changeCursor();
  await original.close();
  copyFileSync(file, other);
  await separated(other);
  const copy = await opened(other);
  const { changes } = await copy.changesSince(cursor, 100);
  expect(changes.map(({ kind }) => kind).sort()).toEqual(['command', 'output', 'output', 'product']);
  await copy.close();
});

test('a file that was moved with its folder, or that was never looked at, goes on as before', async () => {
  await used();
  const before = numbersOf(file);
  renameSync(join(folder, 'data'), join(folder, 'moved'));
  const moved = join(folder, 'moved', 'relaygate.db');
  expect(await separated(moved)).toBe(false);
  expect(numbersOf(moved)).toEqual(before);
  openDatabase(other).close();
  expect(await separated(other)).toBe(false);
});

test.each([
  ['on another machine', 'machine', 'another machine'],
  ['on another disk', 'inode', 'another file'],
  ['under the inode of an original that is gone', 'born', 'another file'],
])('a copy %s is noticed', async (_, column, from) => {
  await used();
  const before = numbersOf(file);
  changeLocation(column);
  expect(await separated()).toBe(true);
  expectAhead(before, numbersOf(file));
  const storage = await opened();
  expect(await eventsIn(storage, 'database-copied')).toMatchObject([{ details: { from } }]);
  await storage.close();
});

test('a disk that has another number since the machine started again makes no copy', async () => {
  await used();
  changeLocation('device');
  expect(await separated()).toBe(false);
});

test('a program beside a server that has not looked in time changes nothing, and fails', async () => {
  await used();
  const before = numbersOf(file);
  changeLocation('inode');
  const clock = new VirtualClock();
  const isTooLate = expect(separateCopy(file, { ...DEPS, clock, isServerRunning: () => true })).rejects.toMatchObject({
    code: 'storage-unavailable',
    message: expect.stringContaining('Run the command again when the server listens'),
  });
  await clock.advance(6_000);
  await isTooLate;
  expect(numbersOf(file)).toEqual(before);
  expect(await separated()).toBe(true);
});

test.each([
  ['looks', async () => void (await separated()), true],
  ['ends without a look', async () => {}, false],
])('a program beside a server that %s meanwhile goes on behind that', async (_, server, isRunningAfter) => {
  await used();
  changeLocation('inode');
  const clock = new VirtualClock();
  let isServerRunning = true;
  const program = separateCopy(file, { ...DEPS, clock, isServerRunning: () => isServerRunning });
  await clock.advance(1_000);
  await server();
  isServerRunning = isRunningAfter;
  await clock.advance(1_000);
  expect(await program).toBe(!isRunningAfter);
  const storage = await opened();
  expect(await eventsIn(storage, 'database-copied')).toHaveLength(1);
  await storage.close();
});

test('two programs at once count it as one copy', async () => {
  await used();
  changeLocation('inode');
  // Behind the first look of this one.
  const isServerRunning = () => {
    bringHome();
    return false;
  };
  expect(await separateCopy(file, { ...DEPS, isServerRunning })).toBe(false);
  const storage = await opened();
  expect(await eventsIn(storage, 'database-copied')).toEqual([]);
  await storage.close();
});

test('a program leaves the look to a server that starts at the same moment', async () => {
  await used();
  const before = numbersOf(file);
  changeLocation('inode');
  const clock = new VirtualClock();
  let asked = 0;
  const program = separateCopy(file, { ...DEPS, clock, isServerRunning: () => ++asked > 1 });
  await clock.advance(1_000);
  bringHome();
  await clock.advance(1_000);
  expect(await program).toBe(false);
  expect(numbersOf(file)).toEqual(before);
});

test('a program beside a server in a container with another machine id does not count that as a copy', async () => {
  await used();
  const before = numbersOf(file);
  changeLocation('machine');
  const clock = new VirtualClock();
  const program = separateCopy(file, { ...DEPS, clock, isServerRunning: () => true });
  await clock.advance(6_000);
  expect(await program).toBe(false);
  expect(numbersOf(file)).toEqual(before);
});

test("an operator's command looks before its first write, and only then", async () => {
  await used();
  let looks = 0;
  const storage = await openSqliteStorage({
    file,
    writerName: 'cli',
    inline: true,
    async beforeFirstWrite() {
      looks += 1;
      const beside = await opened();
      expect(await beside.listClients('', 9)).toHaveLength(1);
      await beside.close();
    },
  });
  await storage.listClients('', 9);
  expect(looks).toBe(0);
  for (const name of ['one', 'two']) await storage.createClient(client(name));
  expect(looks).toBe(1);
  await storage.close();
});

const progress = { copied() {}, verified() {}, migrated() {} };

async function backedUp(): Promise<string> {
  const backup = join(folder, 'backup.db');
  await backUp(join(folder, 'data'), backup, progress, {});
  return backup;
}

const restored = (backup: string, atMs = NOW_MS) =>
  restore(backup, {
    dataDir: join(folder, 'data'),
    writerName: 'cli',
    actor: 'cli as ana',
    atMs,
    progress,
    isNew: false,
    randomness: systemRandomness,
    checkpointFile: join(folder, 'checkpoint.json'),
  });

test('a restored database is at home, though it was made elsewhere', async () => {
  await used();
  await restored(await backedUp());
  expect(await separated()).toBe(false);
});
