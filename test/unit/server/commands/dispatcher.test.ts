import { beforeEach, describe, expect, test } from '@jest/globals';
import { ROUTE_TIMEOUT_MS } from '@relaygate/server/commands/command-router';
import type { OutcomeRecord } from '@relaygate/server/commands/command-store';
import type { CommandOrder } from '@relaygate/server/commands/order';
import { MAX_UNRESOLVED_PER_WELCOME, RelaygateError } from '@relaygate/shared';
import { ALLOWED, DispatcherBench, GATE, ORDER } from '../../../support/server/dispatcher-bench';
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

  test('I9: sends nothing before the record is durable', async () => {
    let durable = (): void => {};
    bench.writing = () => new Promise((resolve) => (durable = resolve));
    bench.ask();
    await bench.clock.advance(500);
    expect(bench.sent).toEqual([]);
    durable();
    await settled();
    expect(bench.sent).toHaveLength(1);
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

  describe('of one node of several', () => {
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

    test('does not look for another owner while the database is away', async () => {
      bench.writing = () => Promise.reject(new RelaygateError('storage-unavailable', 'away'));
      const answer = bench.ask();
      await settled();
      expect(answer.now()).toEqual({ kind: 'error', code: 'unknown', isUnrecorded: true, commandId: 'command-1' });
    });
  });

  test('I6: one command in flight per product, others are told so at once, and the slot is free after the answer', async () => {
    const first = bench.ask();
    await settled();
    const second = bench.ask();
    await settled();
    expect(second.now()).toEqual({ kind: 'error', code: 'request-already-pending' });
    bench.confirm('command-1');
    await settled();
    expect(first.now()).toMatchObject({ kind: 'ok' });
    bench.ask();
    await settled();
    expect(bench.sent).toHaveLength(2);
  });

  test('what a device says late waits for a database that cannot be read (I10)', async () => {
    for (const productLogin of ['gate', 'barn']) {
      bench.ask({ clientId: 'c', productLogin, numOutput: 0, action: { action: 'toggle' } });
    }
    await settled();
    await bench.clock.advance(5_000);
    bench.reading = () => Promise.reject(new Error('away'));
    bench.confirm('command-1');
    bench.dispatcher.resumed('barn', 'boot-1', { type: 'resume', outcomes: [], notStarted: ['command-2'] });
    await bench.clock.advance(10_000);
    expect(bench.outcomes.map(({ outcome }) => outcome)).toEqual(['unknown', 'unknown']);
    bench.reading = async () => {};
    await bench.clock.advance(1_000);
    expect(bench.outcomes.slice(2).map(({ commandId, outcome }) => [commandId, outcome])).toEqual([
      ['command-1', 'confirmed-late'],
      ['command-2', 'expired'],
    ]);
  });

  test('what waits so is bounded (I15), and ends with the server', async () => {
    bench.reading = () => Promise.reject(new Error('away'));
    for (let n = 0; n < 500; n += 1) bench.confirm(`forged-${n}`);
    await settled();
    expect(bench.clock.pendingTimers).toBe(MAX_UNRESOLVED_PER_WELCOME);
    bench.confirm('forged-last');
    bench.late.stop();
    await settled();
    expect(bench.clock.pendingTimers).toBe(0);
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

  test('a confirmation that comes twice changes nothing the second time', async () => {
    bench.ask();
    await settled();
    bench.confirm('command-1');
    bench.confirm('command-1');
    await settled();
    bench.confirm('command-1');
    await settled();
    expect(bench.outcomes.map(({ outcome }) => outcome)).toEqual(['executed']);
  });

  test('a device that is not linked: 504 at once, with a record that says why', async () => {
    bench.link = { kind: 'down' };
    const answer = bench.ask();
    await settled();
    expect(answer.now()).toEqual({ kind: 'error', code: 'device-timeout', commandId: 'command-1' });
    expect(bench.records).toMatchObject([{ outcome: 'expired', reason: 'not-linked' }]);
  });

  test('a device that comes back in time gets the command once, and what it was allowed is read again (I13)', async () => {
    bench.link = { kind: 'recently-lost' };
    const answer = bench.ask();
    await bench.clock.advance(2_000);
    expect(bench.sent).toEqual([]);
    bench.link = { kind: 'up', bootId: 'boot-1' };
    bench.dispatcher.linkUp(GATE, 'boot-1');
    await settled();
    expect(bench.sent).toHaveLength(1);
    bench.confirm('command-1');
    await settled();
    expect(answer.now()).toMatchObject({ kind: 'ok' });
  });

  test('a command that waits for a device ends when the device is revoked, once its record is durable (I13)', async () => {
    let durable = (): void => {};
    for (const isRecorded of [true, false]) {
      bench.link = { kind: 'recently-lost' };
      bench.writing = isRecorded ? async () => {} : () => new Promise((resolve) => (durable = resolve));
      const answer = bench.ask();
      await bench.clock.advance(100);
      bench.dispatcher.deviceRevoked(GATE);
      await settled();
      expect(answer.now() !== undefined).toBe(isRecorded);
      bench.writing = async () => {};
      durable();
      await settled();
      expect(answer.now()).toMatchObject({ kind: 'error', code: 'device-timeout', commandId: expect.any(String) });
      expect(bench.outcomes.at(-1)).toMatchObject({ outcome: 'expired', reason: 'not-linked' });
      expect(bench.clock.pendingTimers).toBe(0);
    }
    expect(bench.sent).toEqual([]);
  });

  test('a command that has left for its device is not ended by a revocation', async () => {
    const answer = bench.ask();
    await settled();
    bench.dispatcher.deviceRevoked(GATE);
    await settled();
    expect(answer.now()).toBeUndefined();
    bench.confirm('command-1');
    await settled();
    expect(answer.now()).toMatchObject({ kind: 'ok' });
  });

  test('what was revoked during the wait is not sent', async () => {
    bench.link = { kind: 'recently-lost' };
    const answer = bench.ask();
    await bench.clock.advance(2_000);
    bench.access = { ...ALLOWED, associated: false };
    bench.link = { kind: 'up', bootId: 'boot-1' };
    bench.dispatcher.linkUp(GATE, 'boot-1');
    await settled();
    expect(bench.sent).toEqual([]);
    expect(answer.now()).toMatchObject({ kind: 'error', code: 'user-not-allowed' });
  });

  test('a link that stays away: 504 at the execution deadline, nothing sent even if it comes back then', async () => {
    bench.link = { kind: 'recently-lost' };
    const answer = bench.ask();
    await bench.clock.advance(4_500);
    expect(answer.now()).toMatchObject({ kind: 'error', code: 'device-timeout' });
    bench.link = { kind: 'up', bootId: 'boot-1' };
    bench.dispatcher.linkUp(GATE, 'boot-1');
    await settled();
    expect(bench.sent).toEqual([]);
  });

  test('a resume report inside the 5 s answers the command that lost its confirmation', async () => {
    const answer = bench.ask();
    await bench.clock.advance(1_000);
    bench.dispatcher.linkLost(GATE);
    bench.dispatcher.resumed(GATE, 'boot-1', {
      type: 'resume',
      outcomes: [{ commandId: 'command-1', outcome: 'executed', numOutput: 0, state: 1 }],
      notStarted: [],
    });
    await settled();
    expect(answer.now()).toMatchObject({ kind: 'ok' });
    expect(bench.sent).toHaveLength(1);
  });

  test('what a resume report tells of the past does not overwrite the state that was reported since', async () => {
    bench.ask();
    await bench.clock.advance(5_000);
    const past = { commandId: 'command-1', outcome: 'executed', numOutput: 0, state: 1 } as const;
    bench.dispatcher.resumed(GATE, 'boot-1', { type: 'resume', outcomes: [past], notStarted: [] });
    await settled();
    expect(bench.outcomes.at(-1)).toMatchObject({ outcome: 'confirmed-late', observed: null });
  });

  test('a result that comes twice while the database refuses it keeps its state (T7)', async () => {
    bench.ask();
    await settled();
    bench.writing = () => Promise.reject(new Error('locked'));
    bench.confirm('command-1');
    await settled();
    bench.confirm('command-1');
    bench.writing = async () => {};
    await bench.clock.advance(1_000);
    expect(bench.outcomes).toMatchObject([
      { commandId: 'command-1', observed: { numOutput: 0, state: 1, version: { epoch: 1, seq: 1 } } },
    ]);
  });

  test('what results tell keeps its slot among all that was heard, in whatever order they are looked up (I11)', async () => {
    bench.ask();
    await bench.clock.advance(5_000);
    bench.ask();
    await settled();
    bench.confirm('command-1', 'refused');
    bench.confirm('command-2');
    await settled();
    const turns = Object.fromEntries(
      bench.outcomes.map(({ commandId, observed }) => [commandId, observed?.version.seq]),
    );
    expect(turns).toEqual({ 'command-1': 1, 'command-2': 2 });
  });

  describe.each([
    ['in time', 0],
    ['late', 5_000],
  ])('an answer that comes %s', (_when, afterMs) => {
    const toggle: CommandOrder = { clientId: 'c', productLogin: GATE, numOutput: 0, action: { action: 'toggle' } };

    async function confirmed(...told: Parameters<DispatcherBench['confirm']>): Promise<OutcomeRecord | undefined> {
      await bench.clock.advance(afterMs);
      bench.confirm(...told);
      await settled();
      return bench.outcomes.at(-1);
    }

    test('and names another output says nothing of that one, nor of its own; it is logged once (I11)', async () => {
      bench.ask();
      const outcome = await confirmed('command-1', 'executed', { numOutput: 1 });
      expect(outcome).toMatchObject({ outcome: afterMs === 0 ? 'executed' : 'confirmed-late', observed: null });
      for (let n = 0; n < 10; n += 1) bench.confirm('command-1', 'executed', { numOutput: 1 });
      await settled();
      const logged = bench.log.lines.filter(({ event }) => event === 'a result names another output than its command');
      expect(logged).toMatchObject([{ level: 'warn', fields: { commandId: 'command-1', numOutput: 0, named: 1 } }]);
    });

    test("and names no output tells the state of its command's", async () => {
      bench.ask();
      expect(await confirmed('command-1', 'executed', {})).toMatchObject({ observed: { numOutput: 0, state: 1 } });
    });

    test('`already-set` is no answer to a toggle', async () => {
      const answer = bench.ask(toggle);
      const refused = { outcome: 'refused', reason: 'toggle-already-set' };
      expect(await confirmed('command-1', 'already-set')).toMatchObject(refused);
      expect(answer.now()).toMatchObject({ kind: 'error', code: 'device-timeout' });
    });

    test.each([
      ['executed', null],
      ['already-set', null],
      ['expired', null],
      ['refused', 'why'],
      ['unproven', 'why'],
    ] as const)('keeps the reason of `%s` as %s', async (outcome, reason) => {
      bench.ask();
      expect(await confirmed('command-1', outcome, { numOutput: 0, reason: 'why' })).toMatchObject({ reason });
    });
  });

  test('a device that never started the command says so in its resume report: 504 without waiting on', async () => {
    const answer = bench.ask();
    await bench.clock.advance(1_000);
    bench.dispatcher.resumed(GATE, 'boot-1', { type: 'resume', outcomes: [], notStarted: ['command-1'] });
    await settled();
    expect(answer.now()).toMatchObject({ kind: 'error', code: 'device-timeout' });
    expect(bench.outcomes).toMatchObject([{ outcome: 'expired', reason: 'not-started' }]);
  });

  test('a device that has booted anew cannot know that a command did not start', async () => {
    const answer = bench.ask();
    await bench.clock.advance(5_000);
    bench.dispatcher.resumed(GATE, 'boot-2', { type: 'resume', outcomes: [], notStarted: ['command-1'] });
    await settled();
    expect(answer.now()).toMatchObject({ code: 'device-timeout' });
    expect(bench.outcomes.map(({ outcome }) => outcome)).toEqual(['unknown']);
  });

  describe('of a command that waited for its link', () => {
    const resumed = (bootId: string): void =>
      bench.dispatcher.resumed(GATE, bootId, { type: 'resume', outcomes: [], notStarted: ['command-1'] });

    /** The device is back, in this boot, and says nothing of the command that it is sent. */
    async function unanswered(bootId: string): Promise<void> {
      await bench.clock.advance(100);
      bench.link = { kind: 'up', bootId };
      bench.dispatcher.linkUp(GATE, bootId);
      await bench.clock.advance(5_000);
      expect(bench.sent).toHaveLength(1);
      expect(bench.outcomes.map(({ outcome }) => outcome)).toEqual(['unknown']);
    }

    test('the boot to which it was sent can say later that it was not started', async () => {
      bench.link = { kind: 'recently-lost' };
      bench.ask();
      await unanswered('boot-1');
      resumed('boot-2');
      await settled();
      expect(bench.outcomes).toHaveLength(1);
      resumed('boot-1');
      await settled();
      expect(bench.outcomes.at(-1)).toMatchObject({ outcome: 'expired', reason: 'not-started' });
    });

    test('the boot that was linked when it was accepted cannot: it was sent to another one (I3)', async () => {
      let durable = (): void => {};
      bench.writing = () => new Promise((resolve) => (durable = resolve));
      bench.ask();
      await settled();
      bench.writing = async () => {};
      bench.link = { kind: 'recently-lost' };
      bench.dispatcher.linkLost(GATE);
      durable();
      await unanswered('boot-2');
      resumed('boot-1');
      await settled();
      expect(bench.outcomes).toHaveLength(1);
    });

    test('nothing is sent before it is durable to which boot (I3, I14)', async () => {
      bench.link = { kind: 'recently-lost' };
      const answer = bench.ask();
      await settled();
      let fail = (_: Error): void => {};
      bench.writing = () => new Promise((_, reject) => (fail = reject));
      bench.link = { kind: 'up', bootId: 'boot-1' };
      bench.dispatcher.linkUp(GATE, 'boot-1');
      await settled();
      expect(bench.sent).toEqual([]);
      bench.writing = async () => {};
      fail(new RelaygateError('storage-unavailable'));
      await settled();
      expect(answer.now()).toMatchObject({ kind: 'error', code: 'unknown', commandId: 'command-1' });
      expect(bench.outcomes).toMatchObject([{ outcome: 'refused', reason: 'boot-not-recorded' }]);
      expect(bench.sent).toEqual([]);
    });

    test('a boot that links while that is written is recorded in turn', async () => {
      bench.link = { kind: 'recently-lost' };
      bench.ask();
      await settled();
      let durable = (): void => {};
      bench.writing = () => new Promise((resolve) => (durable = resolve));
      for (const bootId of ['boot-1', 'boot-2']) {
        bench.dispatcher.linkLost(GATE);
        bench.link = { kind: 'up', bootId };
        bench.dispatcher.linkUp(GATE, bootId);
      }
      await settled();
      bench.writing = async () => {};
      durable();
      await settled();
      expect(bench.sent).toHaveLength(1);
      expect(bench.open.get('command-1')).toMatchObject({ bootId: 'boot-2' });
    });
  });

  test('a product without a device is not waited for: 504 at once (I13)', async () => {
    for (const kind of ['recently-lost', 'up'] as const) {
      bench.link = kind === 'up' ? { kind, bootId: 'boot-1' } : { kind };
      const answer = bench.ask({ ...ORDER, noDevice: true });
      await settled();
      expect(answer.now()).toMatchObject({ kind: 'error', code: 'device-timeout' });
    }
    expect(bench.records.map(({ outcome, reason }) => [outcome, reason])).toEqual([
      ['expired', 'not-linked'],
      ['expired', 'not-linked'],
    ]);
    expect(bench.sent).toEqual([]);
  });

  test('a command that still waits for its link is not ended by a resume report that does not know it', async () => {
    bench.link = { kind: 'recently-lost' };
    bench.ask();
    await settled();
    bench.dispatcher.resumed(GATE, 'boot-1', { type: 'resume', outcomes: [], notStarted: ['command-1'] });
    bench.link = { kind: 'up', bootId: 'boot-1' };
    bench.dispatcher.linkUp(GATE, 'boot-1');
    await settled();
    expect(bench.sent).toHaveLength(1);
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
