import { beforeEach, describe, expect, test } from '@jest/globals';
import { ROUTE_TIMEOUT_MS } from '@relaygate/server/commands/command-router';
import { RelaygateError } from '@relaygate/shared';
import { DispatcherBench } from '../../../support/server/dispatcher-bench';
import { settled } from '../../../support/time/virtual-clock';

let bench: DispatcherBench;
beforeEach(() => {
  bench = new DispatcherBench();
});

describe('the dispatcher', () => {
  test('sends a command with its execution deadline on the server clock, and answers with the confirmation', async () => {
    const startMs = bench.clock.nowMs();
    const answer = bench.ask();
    await settled();
    expect(bench.sent).toEqual([
      { commandId: 'command-1', numOutput: 0, action: 'set', state: 1, executeBeforeMs: startMs + 4_500 },
    ]);
    bench.confirm('command-1');
    await settled();
    expect(answer.now()).toEqual({ kind: 'ok', commandId: 'command-1' });
    expect(bench.outcomes).toMatchObject([
      { outcome: 'executed', observed: { numOutput: 0, state: 1, version: { epoch: 1, seq: 1 } } },
    ]);
    expect(bench.clock.pendingTimers).toBe(0);
  });

  test('a command in flight has one timer, whatever limit comes next', async () => {
    const answer = bench.ask();
    for (const forMs of [0, 1_000, 3_500]) {
      await bench.clock.advance(forMs);
      expect([answer.now(), bench.clock.pendingTimers]).toEqual([undefined, 1]);
    }
    await bench.clock.advance(500);
    expect(answer.now()).toMatchObject({ kind: 'error', code: 'device-timeout' });
    expect(bench.clock.pendingTimers).toBe(0);
  });

  test('a command whose process is held up past all limits is answered before its router gives up: with its id (I6)', async () => {
    const answer = bench.ask();
    let isAnswered = false;
    bench.clock.after(ROUTE_TIMEOUT_MS, () => {
      isAnswered = answer.now() !== undefined;
    });
    await settled();
    bench.clock.holdUp(6_000);
    await bench.clock.advance(0);
    expect(isAnswered).toBe(true);
    expect(answer.now()).toEqual({ kind: 'error', code: 'device-timeout', commandId: 'command-1' });
    expect(bench.clock.pendingTimers).toBe(0);
  });

  test('I14: a database that fails, or hangs for a second, means 500 and no command', async () => {
    bench.writing = () => Promise.reject(new RelaygateError('storage-unavailable'));
    const failed = bench.ask();
    await settled();
    expect(failed.now()).toMatchObject({ kind: 'error', code: 'unknown', isUnrecorded: true });
    bench.writing = () => new Promise(() => {});
    const hung = bench.ask();
    await bench.clock.advance(1_000);
    expect(hung.now()).toMatchObject({ kind: 'error', code: 'unknown', isUnrecorded: true });
    expect(hung.afterMs()).toBe(1_000);
    expect(bench.sent).toEqual([]);
  });

  test('a device that is not linked: 504 at once, with a record that says why', async () => {
    bench.link = { kind: 'down' };
    const answer = bench.ask();
    await settled();
    expect(answer.now()).toEqual({ kind: 'error', code: 'device-timeout', commandId: 'command-1' });
    expect(bench.records).toMatchObject([{ outcome: 'expired', reason: 'not-linked' }]);
  });

  test('a silent device: 504 after 5 s, outcome unknown, and its late confirmation only updates the audit (I10)', async () => {
    const answer = bench.ask();
    await bench.clock.advance(6_000);
    expect(answer.now()).toMatchObject({ kind: 'error', code: 'device-timeout' });
    expect(answer.afterMs()).toBe(5_000);
    const next = bench.ask();
    await settled();
    bench.confirm('command-1');
    await settled();
    expect(next.now()).toBeUndefined();
    expect(bench.outcomes.map(({ commandId, outcome }) => [commandId, outcome])).toEqual([
      ['command-1', 'unknown'],
      ['command-1', 'confirmed-late'],
    ]);
  });

  test('I9: an outcome that cannot be written is kept, retried and shown, and the client has its 200', async () => {
    const answer = bench.ask();
    await settled();
    bench.writing = () => Promise.reject(new RelaygateError('storage-unavailable'));
    bench.confirm('command-1');
    await settled();
    expect(answer.now()).toMatchObject({ kind: 'ok' });
    expect(bench.recorder.healthy).toBe(false);
    expect(bench.recorder.latest('command-1')).toMatchObject({ outcome: 'executed' });
    bench.writing = async () => {};
    await bench.clock.advance(5_000);
    expect(bench.recorder.healthy).toBe(true);
    expect(bench.outcomes.map(({ outcome }) => outcome)).toEqual(['executed']);
  });
});
