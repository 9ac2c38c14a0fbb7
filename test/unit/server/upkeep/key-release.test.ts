import { describe, expect, test } from '@jest/globals';
import { KEY_TURN_MS, KEY_TURNS_KEPT, KeyRelease } from '@relaygate/server/upkeep/key-release';
import { MAX_ROWS_PER_SWEEP_WRITE, RelaygateError } from '@relaygate/shared';
import { collectingLog } from '../../../support/server/collecting-log';
import { KEY_KEPT_MS } from '../../../support/time/promised-times';
import { VirtualClock } from '../../../support/time/virtual-clock';

/** `due`: rows whose keys are due from the beginning. */
async function started(due = 0) {
  const clock = new VirtualClock();
  const log = collectingLog();
  const state = { turns: 0, due, fails: false, loses: false };
  const writes: number[] = [];
  const store = {
    async keyTurns() {
      if (state.fails) throw new RelaygateError('storage-unavailable');
      return state.turns;
    },
    async passKeyTurn(turns: number) {
      if (state.turns === turns) state.turns += 1;
      if (state.loses) throw new RelaygateError('storage-unanswered');
    },
    async releaseKeys(limit: number) {
      if (state.due > 0) writes.push(clock.nowMs());
      state.due = Math.max(0, state.due - limit);
      return state.due > 0;
    },
  };
  const keys = new KeyRelease({ store, clock, log });
  keys.start();
  await clock.advance(1_000);
  return { clock, log, state, writes, keys };
}

describe('the release of keys', () => {
  test('counts a turn for each ten minutes that a server runs; a day has so many', async () => {
    const { clock, state } = await started();
    await clock.advance(KEY_TURN_MS - 2_000);
    expect(state.turns).toBe(0);
    await clock.advance(2_000);
    expect(state.turns).toBe(1);
    await clock.advance(9 * KEY_TURN_MS);
    expect(state.turns).toBe(10);
    expect(KEY_TURNS_KEPT * KEY_TURN_MS).toBe(KEY_KEPT_MS);
  });

  test('counts none that another server has counted meanwhile', async () => {
    const { clock, state } = await started();
    await clock.advance(KEY_TURN_MS / 2);
    state.turns = 7;
    await clock.advance(KEY_TURN_MS / 2);
    expect(state.turns).toBe(7);
    await clock.advance(KEY_TURN_MS);
    expect(state.turns).toBe(8);
  });

  test('takes few at a time, with a pause between two writes', async () => {
    const { state, writes } = await started(3 * MAX_ROWS_PER_SWEEP_WRITE);
    expect(state.due).toBe(0);
    expect(writes.map((ms) => ms - (writes[0] ?? 0))).toEqual([0, 100, 200]);
  });

  test('counts no turn twice where it does not know whether it has counted', async () => {
    const { clock, state, log } = await started();
    state.loses = true;
    await clock.advance(KEY_TURN_MS);
    expect(state.turns).toBe(1);
    expect(log.lines).toMatchObject([
      { level: 'warn', event: 'old keys of commands not released; tried again in 10 minutes' },
    ]);
    state.loses = false;
    await clock.advance(KEY_TURN_MS);
    expect(state.turns).toBe(1);
    await clock.advance(KEY_TURN_MS);
    expect(state.turns).toBe(2);
  });

  test('goes on after a database that was away', async () => {
    const { clock, state } = await started();
    state.fails = true;
    await clock.advance(2 * KEY_TURN_MS);
    const { turns } = state;
    state.fails = false;
    await clock.advance(2 * KEY_TURN_MS);
    expect(state.turns).toBe(turns + 1);
  });

  test('ends with the server', async () => {
    const { clock, state, keys } = await started();
    keys.stop();
    await clock.advance(5 * KEY_TURN_MS);
    expect(state.turns).toBe(0);
  });
});
