import { describe, expect, test } from '@jest/globals';
import { KeyRelease, RELEASE_EVERY_MS } from '@relaygate/server/upkeep/key-release';
import { MAX_ROWS_PER_SWEEP_WRITE, RelaygateError } from '@relaygate/shared';
import { collectingLog } from '../../../support/server/collecting-log';
import { KEY_KEPT_MS } from '../../../support/time/promised-times';
import { VirtualClock } from '../../../support/time/virtual-clock';

const MINUTE_MS = 60_000;

async function started(commands: number) {
  const clock = new VirtualClock();
  const log = collectingLog();
  const state = { commands, released: 0, fails: false };
  const writes: number[] = [];
  const store = {
    async lastCommandRow() {
      if (state.fails) throw new RelaygateError('storage-unavailable');
      return state.commands;
    },
    async releaseKeys(afterId: number, untilId: number, limit: number) {
      expect(afterId).toBe(state.released);
      state.released = Math.min(afterId + limit, untilId);
      writes.push(clock.nowMs());
      return state.released;
    },
  };
  const keys = new KeyRelease({ store, clock, log });
  keys.start();
  await clock.advance(MINUTE_MS);
  return { clock, log, state, writes, keys };
}

describe('keys of commands are released', () => {
  test('a day after this run has seen their commands, and not before', async () => {
    const { clock, state } = await started(5);
    await clock.advance(KEY_KEPT_MS - 2 * MINUTE_MS);
    expect(state.released).toBe(0);
    await clock.advance(2 * MINUTE_MS);
    expect(state.released).toBe(5);
  });

  test('hour by hour, those of later commands later', async () => {
    const { clock, state } = await started(5);
    state.commands = 8;
    await clock.advance(RELEASE_EVERY_MS);
    state.commands = 9;
    await clock.advance(KEY_KEPT_MS - RELEASE_EVERY_MS);
    expect(state.released).toBe(5);
    await clock.advance(RELEASE_EVERY_MS);
    expect(state.released).toBe(8);
    await clock.advance(RELEASE_EVERY_MS);
    expect(state.released).toBe(9);
  });

  test('few at a time, with a pause between two writes', async () => {
    const { clock, state, writes } = await started(3 * MAX_ROWS_PER_SWEEP_WRITE);
    await clock.advance(KEY_KEPT_MS);
    expect(state.released).toBe(3 * MAX_ROWS_PER_SWEEP_WRITE);
    expect(writes.map((ms) => ms - (writes[0] ?? 0))).toEqual([0, 100, 200]);
  });

  test('again an hour after it failed', async () => {
    const { clock, state, log } = await started(5);
    await clock.advance(KEY_KEPT_MS - 2 * MINUTE_MS);
    state.fails = true;
    await clock.advance(2 * MINUTE_MS);
    expect(state.released).toBe(0);
    expect(log.lines).toMatchObject([
      { level: 'warn', event: 'old keys of commands not released; tried again in an hour' },
    ]);
    state.fails = false;
    await clock.advance(RELEASE_EVERY_MS);
    expect(state.released).toBe(5);
  });

  test('not by a server that stops', async () => {
    const { clock, state, keys } = await started(5);
    keys.stop();
    await clock.advance(2 * KEY_KEPT_MS);
    expect(state.released).toBe(0);
  });
});
