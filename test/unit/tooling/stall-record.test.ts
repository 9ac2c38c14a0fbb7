import { type ChildProcess, spawn } from 'node:child_process';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { monotonicNowMs } from '@relaygate/shared/system';
import { eventually } from '../../support/eventually';
import { hasLooked, LOOK_EVERY_MS, lostBetween, lostInAllMs, newRecord, noteLook } from '../../support/stall-record';

const RECORD = join(__dirname, '../../support/stall-record.js');
const WATCH = join(__dirname, '../../support/stall-watch.js');

test('of a stall counts what lies between the moments asked for', () => {
  const record = newRecord();
  noteLook(record, 1_000, 0);
  noteLook(record, 1_310, 300);
  noteLook(record, 1_320, 0);
  const lost = (fromMs: number, toMs: number) => lostBetween(record, fromMs, toMs, 1_325);
  expect(lost(0, 5_000)).toBe(300);
  expect(lost(1_110, 5_000)).toBe(200);
  expect(lost(0, 1_110)).toBe(100);
  expect(lost(1_310, 5_000)).toBe(0);
});

test('a look that has not come yet may be a stall, and before the first one nobody knows', () => {
  const record = newRecord();
  expect(lostBetween(record, 0, 10_000, 5_000)).toBe(0);
  noteLook(record, 1_000, 0);
  expect(lostBetween(record, 0, 10_000, 1_000 + LOOK_EVERY_MS)).toBe(0);
  expect(lostBetween(record, 0, 10_000, 1_200)).toBe(200 - LOOK_EVERY_MS);
});

test('keeps the last ones of very many, and how long they were in all', () => {
  const record = newRecord();
  for (let n = 1; n <= 5_000; n += 1) noteLook(record, n * 100, 10);
  expect(lostBetween(record, 0, Number.POSITIVE_INFINITY, 500_000)).toBe(40_960);
  expect(lostInAllMs(record)).toBe(50_000);
});

/**
 * A process with a watch of its own. It says `go` once that looks, is busy for 600 ms or not, and when it is asked, it says
 * how long it saw nothing run since then.
 */
const SCRIPT = `
  const { Worker } = require('node:worker_threads');
  const { hasLooked, lostBetween, newRecord } = require(${JSON.stringify(RECORD)});
  const record = newRecord();
  new Worker(${JSON.stringify(WATCH)}, { workerData: record.buffer });
  const nowMs = () => Number(process.hrtime.bigint()) / 1e6;
  const begin = () => {
    if (!hasLooked(record)) return void setTimeout(begin, 10);
    const fromMs = nowMs();
    console.log('go');
    if (process.argv[1] === 'busy') while (nowMs() < fromMs + 600);
    process.stdin.once('data', () => {
      console.log(lostBetween(record, fromMs, nowMs(), nowMs()));
      process.exit();
    });
  };
  begin();
`;
let child: ChildProcess | null = null;
let printed = '';
beforeEach(() => {
  printed = '';
});
afterEach(() => void child?.kill('SIGKILL'));

function start(how: 'busy' | 'stopped'): ChildProcess {
  const started = spawn(process.execPath, ['-e', SCRIPT, how], { stdio: ['pipe', 'pipe', 'inherit'] });
  started.stdout?.on('data', (text) => {
    printed += String(text);
  });
  child = started;
  return started;
}
const seenMs = (): number => Number(printed.split('\n')[1] || Number.NaN);

test('a process that was stopped sees that nothing ran', async () => {
  const stopped = start('stopped');
  await eventually(() => printed.startsWith('go'));
  const fromMs = monotonicNowMs();
  stopped.kill('SIGSTOP');
  await new Promise((resume) => setTimeout(resume, 400));
  const stoppedMs = monotonicNowMs() - fromMs;
  stopped.kill('SIGCONT');
  stopped.stdin?.write('?');
  await eventually(() => !Number.isNaN(seenMs()));
  expect(seenMs()).toBeGreaterThanOrEqual(stoppedMs - 50);
});

test('a process that is busy itself does not excuse itself by it', async () => {
  const record = newRecord();
  const watch = new Worker(WATCH, { workerData: record.buffer });
  await eventually(() => hasLooked(record));
  const fromMs = monotonicNowMs();
  start('busy').stdin?.write('?');
  await eventually(() => !Number.isNaN(seenMs()));
  const nowMs = monotonicNowMs();
  expect(seenMs() - lostBetween(record, fromMs, nowMs, nowMs)).toBeLessThan(300);
  await watch.terminate();
});
