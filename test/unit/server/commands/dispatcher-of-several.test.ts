import { beforeEach, describe, expect, test } from '@jest/globals';
import type { CommandOrder } from '@relaygate/server/commands/order';
import { RelaygateError } from '@relaygate/shared';
import { ALLOWED, DispatcherBench, GATE, ORDER } from '../../../support/server/dispatcher-bench';
import { settled } from '../../../support/time/virtual-clock';

let bench: DispatcherBench;
beforeEach(() => {
  bench = new DispatcherBench();
});

describe('the dispatcher of one node of several', () => {
  beforeEach(() => {
    Object.assign(bench.node, { instance: 'one-1', safeUntilMs: bench.clock.nowMs() + 10_000 });
  });
  const REFUSED = () => Promise.reject(new RelaygateError('unknown'));

  test('is answered with what the node that its device has come to has written meanwhile', async () => {
    const answer = bench.ask();
    await settled();
    bench.dispatcher.linkLost(GATE);
    bench.reading = () => Promise.reject(new Error('away'));
    await bench.clock.advance(1_000);
    expect(answer.now()).toBeUndefined();
    bench.reading = async () => {};
    const late = { outcome: 'confirmed-late', reason: null, resolvedAtMs: 1, observed: null } as const;
    bench.outcomes.push({ commandId: 'command-1', productLogin: GATE, ...late });
    bench.open.delete('command-1');
    await bench.clock.advance(250);
    expect(answer.now()).toEqual({ kind: 'ok', commandId: 'command-1' });
    expect(bench.outcomes).toHaveLength(1);
    expect(bench.clock.pendingTimers).toBe(0);
  });

  test('I6: sends nothing that another node has ended, because the device was there and had not started it', async () => {
    let durable = (): void => {};
    bench.writing = () => new Promise((resolve) => (durable = resolve));
    const answer = bench.ask();
    bench.dispatcher.linkLost(GATE);
    bench.writing = async () => {};
    durable();
    await settled();
    const expired = { outcome: 'expired', reason: 'not-started', resolvedAtMs: 1, observed: null } as const;
    bench.outcomes.push({ commandId: 'command-1', productLogin: GATE, ...expired });
    bench.open.delete('command-1');
    bench.dispatcher.linkUp(GATE, 'boot-1');
    await settled();
    expect(bench.sent).toEqual([]);
    expect(answer.now()).toMatchObject({ kind: 'error', code: 'device-timeout' });
  });

  test('sends a command whose link was lost and is back, if it is still open', async () => {
    let durable = (): void => {};
    bench.writing = () => new Promise((resolve) => (durable = resolve));
    bench.ask();
    bench.dispatcher.linkLost(GATE);
    bench.writing = async () => {};
    durable();
    await settled();
    bench.dispatcher.linkUp(GATE, 'boot-1');
    await settled();
    expect(bench.sent).toHaveLength(1);
  });

  test('records the command as its own', async () => {
    bench.ask();
    await settled();
    expect(bench.records).toMatchObject([{ node: 'one-1' }]);
    expect(bench.sent).toHaveLength(1);
  });

  test('T34: sends nothing if its lease was over before the answer to its record, even when it has a new one', async () => {
    let durable = (): void => {};
    bench.writing = () => new Promise((resolve) => (durable = resolve));
    bench.node.safeUntilMs = bench.clock.nowMs() + 900;
    const answer = bench.ask();
    await bench.clock.advance(900);
    Object.assign(bench.node, { instance: 'one-2', safeUntilMs: bench.clock.nowMs() + 10_000 });
    bench.writing = async () => {};
    durable();
    await settled();
    bench.dispatcher.linkLost(GATE);
    bench.dispatcher.linkUp(GATE, 'boot-1');
    await bench.clock.advance(4_000);
    expect(bench.sent).toEqual([]);
    expect(answer.now()).toMatchObject({ kind: 'error', code: 'device-timeout' });
    expect(bench.outcomes).toMatchObject([{ outcome: 'expired' }]);
  });

  test('answers 500 for a product that another node owns by now: certainly nothing was recorded', async () => {
    bench.writing = REFUSED;
    bench.owner = { ...bench.owner, nodeName: 'node-2' };
    const answer = bench.ask();
    await settled();
    expect(answer.now()).toMatchObject({ code: 'unknown', isUnrecorded: true, isElsewhere: true });
    expect(bench.sent).toEqual([]);
  });

  test('answers 409 while a command of the owner before has the slot (I6)', async () => {
    bench.writing = REFUSED;
    bench.owner = { ...bench.owner, isSlotTaken: true };
    const answer = bench.ask();
    await settled();
    expect(answer.now()).toMatchObject({ code: 'request-already-pending', isUnrecorded: true });
    bench.owner = { ...bench.owner, isSlotTaken: false };
    const other = bench.ask();
    await settled();
    // It was taken when the database refused the record.
    expect(other.now()).toMatchObject({ code: 'unknown', isUnrecorded: true, isElsewhere: true });
  });

  const idempotency = { key: 'key', requestHash: 'hash', insteadOf: null };
  test.each<[string, CommandOrder, boolean, string]>([
    ['its client may not give it any more (I13)', ORDER, false, 'user-not-allowed'],
    ['its client had lost a right that it has again', ORDER, true, 'unknown'],
    ['its key stands for another one', { ...ORDER, idempotency }, true, 'request-already-pending'],
  ])('answers as it is when a command is not recorded because %s', async (_why, order, associated, code) => {
    bench.isRecorded = false;
    bench.access = { ...ALLOWED, associated };
    const answer = bench.ask(order);
    await settled();
    expect(answer.now()).toEqual({ kind: 'error', code, isUnrecorded: true, commandId: 'command-1' });
    expect(bench.sent).toEqual([]);
  });

  test('answers 500 when it cannot read why a command is not recorded, and takes the next one', async () => {
    bench.isRecorded = false;
    bench.authorising = () => Promise.reject(new Error('no database'));
    const answer = bench.ask();
    await settled();
    expect(answer.now()).toMatchObject({ code: 'unknown', isUnrecorded: true });
    bench.isRecorded = true;
    bench.ask();
    await settled();
    expect(bench.sent).toHaveLength(1);
  });

  test('does not look for another owner while the database is away', async () => {
    bench.writing = () => Promise.reject(new RelaygateError('storage-unavailable', 'away'));
    const answer = bench.ask();
    await settled();
    expect(answer.now()).toEqual({ kind: 'error', code: 'unknown', isUnrecorded: true, commandId: 'command-1' });
  });
});

describe('a command that another node has accepted', () => {
  const accept = (agoMs: number): ReturnType<DispatcherBench['ask']> =>
    bench.ask(ORDER, { commandId: 'theirs', acceptedAtMs: bench.clock.nowMs() - agoMs });

  test('keeps its id, and its deadlines count from its t0 (I2)', async () => {
    const startMs = bench.clock.nowMs();
    const answer = accept(400);
    await settled();
    expect(bench.sent).toMatchObject([{ commandId: 'theirs', executeBeforeMs: startMs - 400 + 4_500 }]);
    await bench.clock.advance(4_599);
    expect(answer.now()).toBeUndefined();
    await bench.clock.advance(1);
    expect(answer.now()).toEqual({ kind: 'error', code: 'device-timeout', commandId: 'theirs' });
    expect(bench.clock.pendingTimers).toBe(0);
  });

  test('waits for its link no longer than that', async () => {
    bench.link = { kind: 'recently-lost' };
    const answer = accept(4_000);
    await bench.clock.advance(499);
    expect(answer.now()).toBeUndefined();
    await bench.clock.advance(1);
    expect(answer.now()).toMatchObject({ kind: 'error', code: 'device-timeout' });
    expect(bench.outcomes).toMatchObject([{ outcome: 'expired' }]);
  });

  test.each([
    [2_000, 1_000, 'unknown'],
    [4_000, 500, 'device-timeout'],
  ])(
    '%d ms old: its record has its time from the arrival on, %d ms, but not beyond the deadline',
    async (agoMs, leftMs, code) => {
      bench.writing = () => new Promise(() => {});
      const answer = accept(agoMs);
      await bench.clock.advance(leftMs - 1);
      expect(answer.now()).toBeUndefined();
      await bench.clock.advance(1);
      expect(answer.now()).toMatchObject({ kind: 'error', code });
      expect(bench.clock.pendingTimers).toBe(0);
    },
  );

  test('that comes after its deadline is never sent', async () => {
    const answer = accept(4_500);
    await bench.clock.advance(0);
    expect(answer.now()).toMatchObject({ kind: 'error', code: 'device-timeout' });
    expect(bench.sent).toEqual([]);
  });

  test('is authorised again before it is sent, if it is old (I13)', async () => {
    bench.access = { ...ALLOWED, associated: false };
    const answer = accept(600);
    await settled();
    expect(answer.now()).toMatchObject({ kind: 'error', code: 'user-not-allowed' });
    expect(bench.sent).toEqual([]);
  });
});
