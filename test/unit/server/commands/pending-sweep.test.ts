import { expect, test } from '@jest/globals';
import type { OutcomeRecord } from '@relaygate/server/commands/command-store';
import { PendingSweep } from '@relaygate/server/commands/pending-sweep';
import { SOLE_NODE } from '@relaygate/server/nodes/membership';
import { MAX_COMMANDS_PER_SWEEP, PENDING_SWEEP_MS, RelaygateError } from '@relaygate/shared';
import { collectingLog } from '../../../support/server/collecting-log';
import { VirtualClock } from '../../../support/time/virtual-clock';

/** The sweep over a database that holds `pending`, beside commands `inFlight` and outcomes that are `unsaved`. */
function swept() {
  const clock = new VirtualClock();
  const log = collectingLog();
  const state = { pending: ['c1'], inFlight: new Set<string>(), unsaved: new Set<string>(), fails: false, asked() {} };
  const interrupted: { commandIds: readonly string[]; atMs: number }[] = [];
  const limits: number[] = [];
  const store = {
    async pendingCommands(limit: number) {
      if (state.fails) throw new RelaygateError('storage-unavailable');
      limits.push(limit);
      state.asked();
      return state.pending;
    },
    async interruptCommands(commandIds: readonly string[], atMs: number) {
      interrupted.push({ commandIds, atMs });
      state.pending = state.pending.filter((commandId) => !commandIds.includes(commandId));
      return commandIds.length;
    },
  };
  const outcomes = {
    latest: (commandId: string) => (state.unsaved.has(commandId) ? ({} as OutcomeRecord) : undefined),
  };
  const dispatcher = { inFlight: () => state.inFlight };
  const sweep = new PendingSweep({ store, dispatcher, outcomes, node: SOLE_NODE, clock, wallClock: clock, log });
  sweep.start();
  const ids = () => interrupted.map(({ commandIds }) => commandIds);
  return { clock, log, state, interrupted, ids, limits, sweep };
}

test('a command that two sweeps in a row find pending is settled at the second one, once', async () => {
  const { clock, interrupted, log, limits } = swept();
  await clock.advance(2 * PENDING_SWEEP_MS - 1);
  expect(interrupted).toEqual([]);
  await clock.advance(1);
  expect(interrupted).toEqual([{ commandIds: ['c1'], atMs: clock.epochMs() }]);
  expect(log.lines).toEqual([
    { level: 'warn', event: 'commands without an outcome are unknown now', fields: { count: 1 } },
  ]);
  await clock.advance(5 * PENDING_SWEEP_MS);
  expect(interrupted).toHaveLength(1);
  expect(new Set(limits)).toEqual(new Set([MAX_COMMANDS_PER_SWEEP]));
});

test('others than at the sweep before are left alone: each lives for seconds', async () => {
  const { clock, state, interrupted } = swept();
  for (let n = 2; n < 8; n += 1) {
    await clock.advance(PENDING_SWEEP_MS);
    state.pending = [`c${n}`];
  }
  expect(interrupted).toEqual([]);
});

test('one in flight is left alone, and one whose outcome waits to be written', async () => {
  const { clock, state, ids } = swept();
  state.pending = ['flying', 'unsaved', 'lost'];
  state.inFlight.add('flying');
  state.unsaved.add('unsaved');
  await clock.advance(10 * PENDING_SWEEP_MS);
  expect(ids()).toEqual([['lost']]);
  state.inFlight.clear();
  state.unsaved.clear();
  await clock.advance(PENDING_SWEEP_MS);
  expect(ids()).toEqual([['lost'], ['flying', 'unsaved']]);
});

test('a database that fails is asked again, and named in the log once', async () => {
  const { clock, state, ids, log } = swept();
  state.fails = true;
  await clock.advance(5 * PENDING_SWEEP_MS);
  expect(log.lines).toMatchObject([{ level: 'error', event: 'commands without an outcome not settled, tried again' }]);
  state.fails = false;
  await clock.advance(2 * PENDING_SWEEP_MS);
  expect(ids()).toEqual([['c1']]);
});

test('once stopped, also while one sweep runs, it asks no more', async () => {
  const { clock, sweep, limits, state } = swept();
  state.asked = () => sweep.stop();
  await clock.advance(5 * PENDING_SWEEP_MS);
  expect(limits).toHaveLength(1);
  expect(clock.pendingTimers).toBe(0);
});
