import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { GroupCommit, type WriteRequest } from '@relaygate/server/storage/group-commit';
import { writeLoop } from '@relaygate/server/storage/postgresql/write-loop';
import { openDatabase } from '@relaygate/server/storage/sqlite/database-file';
import { writeSqlOf } from '@relaygate/server/storage/sqlite/sqlite';
import type { FromWriter, WriterThread } from '@relaygate/server/storage/threaded-writer';
import { client } from '../../../../contract/storage/samples';
import { settled, VirtualClock } from '../../../../support/time/virtual-clock';

const TIMEOUT_MS = 1_000;

let db: ReturnType<typeof openDatabase>;
let clock: VirtualClock;
let messages: FromWriter[];
let answerCommit: () => void;
let loop: WriterThread;
let hasEnded: boolean;

beforeEach(() => {
  db = openDatabase(':memory:');
  clock = new VirtualClock();
  messages = [];
  hasEnded = false;
  const connection = writeSqlOf(db);
  const commit = async (): Promise<void> => {
    await new Promise<void>((resolve) => {
      answerCommit = resolve;
    });
    await connection.commit();
  };
  const group = new GroupCommit({ ...connection, commit }, 'node-1', () => clock.nowMs());
  loop = writeLoop(group, clock, () => {})({
    message: (message) => messages.push(message),
    failed: () => {},
    ended: () => {
      hasEnded = true;
    },
  });
});
afterEach(() => {
  db.close();
});

function write(id: number): void {
  const request: WriteRequest = {
    id,
    write: { name: 'createClient', args: [client(`app-${id}`)] },
    deadlineMs: clock.nowMs() + TIMEOUT_MS,
  };
  loop.postMessage({ kind: 'writes', requests: [request] });
}

const answers = () => messages.flatMap((message) => (message.kind === 'answers' ? message.answers : []));

test('a write behind a commit that is not answered is refused at its deadline: certainly nothing of it was done', async () => {
  write(1);
  await settled();
  await clock.advance(500);
  write(2);
  await clock.advance(TIMEOUT_MS - 100);
  expect(answers()).toEqual([]);
  await clock.advance(100);
  expect(answers()).toMatchObject([{ id: 2, ok: false, code: 'storage-unavailable' }]);
  answerCommit();
  await settled();
  expect(answers()).toMatchObject([{ id: 2 }, { id: 1, ok: true }]);
  expect(clock.pendingTimers).toBe(0);
});

test('what waits is written before it ends', async () => {
  write(1);
  await settled();
  write(2);
  loop.postMessage({ kind: 'close' });
  answerCommit();
  await settled();
  expect(hasEnded).toBe(false);
  answerCommit();
  await settled();
  expect(answers()).toMatchObject([
    { id: 1, ok: true },
    { id: 2, ok: true },
  ]);
  expect(hasEnded).toBe(true);
});
