import { beforeEach, describe, expect, test } from '@jest/globals';
import type { OutcomeRecord } from '@relaygate/server/commands/command-store';
import type { CommandOrder } from '@relaygate/server/commands/order';
import { MAX_UNRESOLVED_PER_WELCOME } from '@relaygate/shared';
import { DispatcherBench, GATE } from '../../../support/server/dispatcher-bench';
import { settled } from '../../../support/time/virtual-clock';

let bench: DispatcherBench;
beforeEach(() => {
  bench = new DispatcherBench();
});

describe('what a device says late, twice, or in its resume report', () => {
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
});
