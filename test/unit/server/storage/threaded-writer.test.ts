import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { workerThread } from '@relaygate/server/storage/sqlite/writer-thread';
import {
  DEFERRABLE_MS,
  GROUP_EVERY_MS,
  type StartWriter,
  ThreadedWriter,
} from '@relaygate/server/storage/threaded-writer';
import { folderForEach } from '../../../support/processes/fresh-folder';
import { VirtualClock } from '../../../support/time/virtual-clock';

/** The thread's side of the messages, in a few words: it is `ready`, then does this with each message. */
const answerAll = `port.postMessage({ kind: 'answers', answers: message.requests.map(({ id }) => ({ id, ok: true, value: true })) })`;
const countRequests = `port.postMessage({ kind: 'answers', answers: message.requests.map(({ id }) => ({ id, ok: true, value: message.requests.length })) })`;
const dieOnce = `if (!require('node:fs').existsSync(__filename + '.died')) {
  require('node:fs').writeFileSync(__filename + '.died', '');
  process.exit(1);
}`;

const folder = folderForEach('rg-writer-');
let clock: VirtualClock;
let writer: ThreadedWriter | undefined;

beforeEach(() => {
  clock = new VirtualClock();
});
afterEach(() => writer?.close());

async function writerOver(onWrites: string): Promise<ThreadedWriter> {
  const threadFile = join(folder, 'thread.js');
  const onMessage = `message.kind === 'close' ? port.close() : (() => { ${onWrites} })()`;
  const program = `const port = require('node:worker_threads').parentPort;
    port.on('message', (message) => ${onMessage});
    port.postMessage({ kind: 'ready' });`;
  writeFileSync(threadFile, program);
  const startThread = workerThread(threadFile);
  writer = await ThreadedWriter.start({
    clock,
    writeTimeoutMs: 1_000,
    startThread: (listener) => startThread({ file: 'none', writerName: 'node-1' }, listener),
  });
  return writer;
}

const write = (to: ThreadedWriter) => to.execute('setProductActivated', 'gate', true, 0);
const OUTCOME = { commandId: 'c', productLogin: 'gate', outcome: 'executed', reason: null } as const;
const recordOutcome = (to: ThreadedWriter) =>
  to.execute('recordOutcome', { ...OUTCOME, resolvedAtMs: 0, observed: null });

test('writes of one tick travel in one message', async () => {
  const over = await writerOver(countRequests);
  expect(await Promise.all([write(over), write(over), write(over)])).toEqual([3, 3, 3]);
});

test('under load a message carries what came within a few milliseconds', async () => {
  const over = await writerOver(countRequests);
  expect(await write(over)).toBe(1);
  const later = [write(over)];
  await clock.advance(GROUP_EVERY_MS - 1);
  later.push(write(over));
  await clock.advance(1);
  expect(await Promise.all(later)).toEqual([2, 2]);
  await clock.advance(GROUP_EVERY_MS);
  expect(await write(over)).toBe(1);
});

test('an outcome travels with the next write that somebody waits for, or soon', async () => {
  const over = await writerOver(countRequests);
  const first = recordOutcome(over);
  await clock.advance(DEFERRABLE_MS - 1);
  expect(await Promise.all([first, write(over)])).toEqual([2, 2]);
  const alone = recordOutcome(over);
  await clock.advance(DEFERRABLE_MS);
  expect(await alone).toBe(1);
});

test('a thread that dies refuses what waits, and another is started for later writes', async () => {
  const over = await writerOver(`${dieOnce} ${answerAll}`);
  const lost = [write(over), write(over)];
  for (const refused of lost) await expect(refused).rejects.toMatchObject({ code: 'storage-unanswered' });
  await clock.advance(GROUP_EVERY_MS);
  await expect(write(over)).rejects.toMatchObject({
    code: 'storage-unavailable',
    message: expect.stringContaining('soon'),
  });
  await clock.advance(1_001);
  expect(await write(over)).toBe(true);
});

test('a thread that throws is one that died', async () => {
  const over = await writerOver(`throw new Error('out of luck')`);
  await expect(write(over)).rejects.toMatchObject({
    code: 'storage-unanswered',
    message: expect.stringContaining('out of luck'),
  });
});

test('a thread that does not answer is given up on: each write has as long, so that a server which stops can still say so', async () => {
  const over = await writerOver('');
  const settledMs: number[] = [];
  const hanging = async (): Promise<void> => {
    await expect(write(over)).rejects.toMatchObject({ code: 'storage-unanswered' });
    settledMs.push(clock.nowMs());
  };
  const beganMs = clock.nowMs();
  const first = hanging();
  await clock.advance(700);
  const second = hanging();
  await clock.advance(10_000);
  await Promise.all([first, second]);
  expect(settledMs.map((ms) => ms - beganMs)).toEqual([5_000, 5_700]);
});

test('a thread that hangs does not hold the closing up for ever', async () => {
  const over = await writerOver(`for (;;) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0)`);
  const hanging = expect(write(over)).rejects.toMatchObject({ code: 'storage-unanswered' });
  const closed = over.close();
  await clock.advance(10_000);
  await closed;
  await hanging;
});

test('writes that wait are bounded (I15)', async () => {
  const over = await writerOver('');
  const waiting = Array.from({ length: 20_000 }, () => write(over).catch((error) => error.message));
  await expect(write(over)).rejects.toMatchObject({ message: expect.stringContaining('too many') });
  await clock.advance(10_000);
  expect(await Promise.all(waiting)).toHaveLength(20_000);
  // Given up here, but the thread still has them.
  await expect(write(over)).rejects.toMatchObject({ message: expect.stringContaining('too many') });
});

test('a thread that cannot start is an error of the start', async () => {
  const threadFile = join(folder, 'thread.js');
  writeFileSync(threadFile, `throw new Error('no database')`);
  const startThread: StartWriter = (listener) =>
    workerThread(threadFile)({ file: 'none', writerName: 'node-1' }, listener);
  await expect(ThreadedWriter.start({ clock, writeTimeoutMs: 1_000, startThread })).rejects.toThrow('no database');
});
