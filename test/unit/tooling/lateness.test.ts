/** What the machine lost is told apart from what a program took too long, and from what this process did itself. */
import { type ChildProcess, spawn } from 'node:child_process';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { monotonicNowMs } from '@relaygate/shared/system';
import { crowdedProcessor } from '../../support/processes/crowded-processor';
import { verdictOn } from '../../support/time/excuse';
import { Lateness, StoppedWatchError } from '../../support/time/lateness';
import { eventually, pause } from '../../support/time/waiting';

const LATENESS = join(__dirname, '../../support/time/lateness.js');
const STALLED_MS = 400;

let lateness: Lateness;
beforeEach(() => {
  lateness = new Lateness();
  lateness.watch(process.pid);
  // It has looked once.
  lateness.lostMs({ fromMs: 0, toMs: monotonicNowMs() });
});
afterEach(() => {
  try {
    lateness.stop();
  } catch {
    // Stopped by its test.
  }
});

/** Keeps this thread from doing anything else, by sleeping: other programs may have the processor. */
function block(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}

test('what this process does itself is no excuse, whether it computes or sleeps', () => {
  // A busy machine really loses something in one window or the other; what counts wrongly counts in each.
  const windows = Array.from({ length: 5 }, () => {
    const fromMs = monotonicNowMs();
    block(300);
    while (monotonicNowMs() < fromMs + 600);
    const wholeMs = lateness.lostMs({ fromMs, toMs: monotonicNowMs() });
    // Beside other programs it also waits for its processor while it computes, and that is one.
    return { wholeMs, asleepMs: lateness.lostMs({ fromMs, toMs: fromMs + 300 }, [process.pid]) };
  });
  const asleepMs = Math.min(...windows.map((window) => window.asleepMs));
  expect(Math.min(...windows.map(({ wholeMs }) => wholeMs))).toBeLessThan(150);
  expect(asleepMs).toBeLessThan(150);
  expect(verdictOn('answer', 300, () => asleepMs).kind).toBe('late');
});

test('a watch that has stopped is a failure, not an excuse', () => {
  lateness.stop();
  const atMs = monotonicNowMs();
  expect(() => lateness.lostMs({ fromMs: atMs - 10, toMs: atMs + 50 })).toThrow(StoppedWatchError);
  expect(() => lateness.stop()).toThrow(/The stall watch has stopped/);
});

test('what was before its first look is known to nobody, and no excuse', () => {
  const atMs = monotonicNowMs();
  expect(lateness.lostMs({ fromMs: atMs - 60_000, toMs: atMs })).toBe(0);
});

test('a watched process that waits for a processor is told, in the window of the wait alone', async () => {
  const crowd = crowdedProcessor();
  try {
    const pid = crowd[0]?.pid ?? 0;
    lateness.watch(pid);
    const fromMs = monotonicNowMs();
    await eventually(() => lateness.lostMs({ fromMs, toMs: monotonicNowMs() }, [pid]) > 100);
    const toMs = monotonicNowMs();
    expect(lateness.lostMs({ fromMs: toMs - 1, toMs }, [pid])).toBeLessThanOrEqual(1);
  } finally {
    for (const child of crowd) child.kill('SIGKILL');
  }
});

/** A process with a watch of its own. It says `go`, and when it is asked, what it saw lost in the window that it is given. */
const SCRIPT = `
  const { Lateness } = require(${JSON.stringify(LATENESS)});
  const lateness = new Lateness();
  const nowMs = () => Number(process.hrtime.bigint()) / 1e6;
  lateness.lostMs({ fromMs: 0, toMs: nowMs() });
  console.log('go');
  process.stdin.once('data', (text) => {
    const [fromMs, toMs] = JSON.parse(String(text));
    console.log(lateness.lostMs({ fromMs, toMs }));
    process.exit();
  });
`;

test('a machine on which nothing ran is told, and what lies before that window is no excuse', async () => {
  const played: ChildProcess = spawn(process.execPath, ['-e', SCRIPT], { stdio: ['pipe', 'pipe', 'inherit'] });
  let printed = '';
  played.stdout?.on('data', (text) => {
    printed += String(text);
  });
  const seen = async (window: readonly [number, number]): Promise<number> => {
    played.stdin?.write(JSON.stringify(window));
    await eventually(() => printed.split('\n').length > 2);
    return Number(printed.split('\n')[1]);
  };
  try {
    await eventually(() => printed.startsWith('go'));
    const stoppedMs = monotonicNowMs();
    played.kill('SIGSTOP');
    await pause(STALLED_MS);
    const goesOnMs = monotonicNowMs();
    played.kill('SIGCONT');
    await pause(100);
    const lostMs = await seen([stoppedMs + STALLED_MS / 2, goesOnMs + 20]);
    // Of the whole stall only what lies in the window: its second half.
    expect(lostMs).toBeGreaterThan(STALLED_MS / 2 - 30);
    expect(lostMs).toBeLessThan(goesOnMs - stoppedMs - STALLED_MS / 2 + 21);
  } finally {
    played.kill('SIGKILL');
  }
});
