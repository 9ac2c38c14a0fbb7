import { type ChildProcess, spawn } from 'node:child_process';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { monotonicNowMs } from '@relaygate/shared/system';
import { eventually } from '../../support/eventually';
import { Lateness } from '../../support/lateness';
import { LOOK_EVERY_MS, lostBetween, lostInAllMs, newRecord, noteLook } from '../../support/stall-record';

const LATENESS = join(__dirname, '../../support/lateness.js');

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

/** A process with a watch of its own, that says what it saw of the half second in which it was stopped, or busy. */
const SCRIPT = `
  const { Lateness } = require(${JSON.stringify(LATENESS)});
  const machine = new Lateness({ readsLate: false });
  const nowMs = () => Number(process.hrtime.bigint()) / 1e6;
  setTimeout(() => {
    const fromMs = nowMs();
    console.log('go');
    if (process.argv[1] === 'busy') while (nowMs() < fromMs + 600);
    setTimeout(() => { console.log(machine.stolenAt(fromMs)); machine.stop(); }, 600);
  }, 200);
`;
let child: ChildProcess | null = null;
let printed = '';
beforeEach(() => {
  printed = '';
});
afterEach(() => void child?.kill('SIGKILL'));

function start(how: 'busy' | 'stopped'): ChildProcess {
  const started = spawn(process.execPath, ['-e', SCRIPT, how], { stdio: ['ignore', 'pipe', 'inherit'] });
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
  await eventually(() => !Number.isNaN(seenMs()));
  expect(seenMs()).toBeGreaterThanOrEqual(stoppedMs - 50);
});

test('a process that is busy itself does not excuse itself by it', async () => {
  const machine = new Lateness({ readsLate: false });
  const fromMs = monotonicNowMs();
  start('busy');
  await eventually(() => !Number.isNaN(seenMs()));
  expect(seenMs() - machine.stolenAt(fromMs)).toBeLessThan(300);
  machine.stop();
});
