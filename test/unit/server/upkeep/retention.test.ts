import { describe, expect, test } from '@jest/globals';
import {
  FIRST_SWEEP_MS,
  type KeptDays,
  type OldRows,
  type OldRowsRange,
  Retention,
  SWEEP_EVERY_MS,
} from '@relaygate/server/upkeep/retention';
import { MAX_ROWS_PER_SWEEP_WRITE, REFRESH_IDLE_MS, RelaygateError } from '@relaygate/shared';
import { collectingLog } from '../../../support/server/collecting-log';
import { VirtualClock } from '../../../support/time/virtual-clock';

const DAY_MS = 24 * 3_600_000;
const KEPT: KeptDays = { openCommands: 0, commands: 0, deviceRevocations: 0, refreshFamilies: 2, historyPositions: 30 };

function started(keptDays = KEPT, lastSweepAgoMs?: number) {
  const clock = new VirtualClock();
  const log = collectingLog();
  const wall = { jumpedMs: 0 };
  const asked: { what: OldRows; nowMs: number; ageMs: number; afterId: number; limit: number }[] = [];
  const rows: Record<OldRows, number> = {
    openCommands: 0,
    commands: 5,
    deviceRevocations: 10,
    refreshFamilies: 600,
    historyPositions: 3,
  };
  const state = {
    fails: false,
    sweptAtMs: lastSweepAgoMs === undefined ? null : clock.epochMs() - lastSweepAgoMs,
  };
  const wallClock = { epochMs: () => clock.epochMs() + wall.jumpedMs };
  const store = {
    async lastSweepMs() {
      return state.sweptAtMs;
    },
    async recordSweep(atMs: number) {
      if (state.fails) throw new RelaygateError('storage-unavailable');
      state.sweptAtMs = atMs;
    },
    async removeOld(what: OldRows, { beforeMs, nowMs, afterId, limit }: OldRowsRange) {
      if (state.fails) throw new RelaygateError('storage-unavailable');
      asked.push({ what, nowMs, ageMs: nowMs - beforeMs, afterId, limit });
      const count = Math.min(rows[what], limit);
      rows[what] -= count;
      return { count, lastId: count < limit ? null : afterId + limit };
    },
  };
  const retention = new Retention({ store, keptDays, clock, wallClock, log });
  retention.start();
  return { clock, log, wall, asked, rows, state, retention };
}

describe('old rows', () => {
  test('are removed some minutes after the start, and every hour', async () => {
    const { clock, rows, log, asked } = started();
    await clock.advance(FIRST_SWEEP_MS - 1);
    expect(asked).toEqual([]);
    await clock.advance(60_000);
    expect(rows).toEqual({
      openCommands: 0,
      commands: 5,
      deviceRevocations: 10,
      refreshFamilies: 0,
      historyPositions: 0,
    });
    expect(log.lines).toEqual([
      { level: 'info', event: 'old rows removed', fields: { removed: { refreshFamilies: 600, historyPositions: 3 } } },
    ]);
    rows.historyPositions = 1;
    await clock.advance(SWEEP_EVERY_MS + 60_000);
    expect(rows.historyPositions).toBe(0);
  });

  test('are as old as the settings say; a login session lives 90 days before it is old', async () => {
    const { clock, asked } = started();
    await clock.advance(FIRST_SWEEP_MS + 60_000);
    expect(new Set(asked.map(({ what }) => what))).toEqual(new Set(['refreshFamilies', 'historyPositions']));
    for (const { what, ageMs } of asked) {
      const wantedMs = what === 'refreshFamilies' ? 2 * DAY_MS + REFRESH_IDLE_MS : 30 * DAY_MS;
      expect(ageMs - wantedMs).toBeGreaterThanOrEqual(0);
      expect(ageMs - wantedMs).toBeLessThan(1_000);
    }
  });

  test('are removed few at a time, with a pause between two writes', async () => {
    const { clock, rows, asked } = started();
    await clock.advance(FIRST_SWEEP_MS);
    expect(rows.refreshFamilies).toBe(600 - MAX_ROWS_PER_SWEEP_WRITE);
    expect(asked.map(({ limit }) => limit)).toEqual([MAX_ROWS_PER_SWEEP_WRITE]);
    await clock.advance(50);
    expect(asked).toHaveLength(1);
    await clock.advance(50);
    expect(asked.map(({ afterId }) => afterId)).toEqual([0, MAX_ROWS_PER_SWEEP_WRITE]);
  });

  test('are as old as they were when the sweep began, also if the clock is set forward meanwhile', async () => {
    const { clock, wall, asked } = started();
    await clock.advance(FIRST_SWEEP_MS);
    wall.jumpedMs = 3_600 * DAY_MS;
    await clock.advance(60_000);
    expect(new Set(asked.map(({ what }) => what)).size).toBe(2);
    expect(new Set(asked.map(({ nowMs }) => nowMs)).size).toBe(1);
  });

  test('are logged as removed; open commands are closed, and stay', async () => {
    const { clock, rows, log } = started({ ...KEPT, openCommands: 7 });
    rows.openCommands = 4;
    await clock.advance(FIRST_SWEEP_MS + 60_000);
    expect(log.lines).toEqual([
      { level: 'info', event: 'old open commands closed', fields: { commands: 4 } },
      { level: 'info', event: 'old rows removed', fields: { removed: { refreshFamilies: 600, historyPositions: 3 } } },
    ]);
  });

  test('of which nothing is to be removed are not asked for', async () => {
    const { clock, asked } = started({ ...KEPT, refreshFamilies: 0, historyPositions: 0 });
    await clock.advance(FIRST_SWEEP_MS + SWEEP_EVERY_MS);
    expect(asked).toEqual([]);
  });
});

describe('nothing is removed', () => {
  test('at a sweep before which the wall clock was set forward', async () => {
    const { clock, wall, asked, log } = started();
    await clock.advance(1_000);
    wall.jumpedMs = 3_600 * DAY_MS;
    await clock.advance(FIRST_SWEEP_MS + 60_000);
    expect(asked).toEqual([]);
    expect(log.lines.map(({ level }) => level)).toEqual(['warn']);
    // Put right again in time.
    wall.jumpedMs = 0;
    await clock.advance(SWEEP_EVERY_MS);
    expect(asked.length).toBeGreaterThan(0);
    expect(Math.max(...asked.map(({ ageMs }) => ageMs))).toBeLessThan(100 * DAY_MS);
  });

  test('by a server that starts with a clock that is days ahead of its last run, until that clock has run for an hour', async () => {
    const { clock, wall, asked, log, state, rows } = started(KEPT, 4 * DAY_MS);
    const before = state.sweptAtMs;
    await clock.advance(FIRST_SWEEP_MS + 60_000);
    expect(asked).toEqual([]);
    expect(log.lines.map(({ level }) => level)).toEqual(['warn']);
    // The next start must not trust it either.
    expect(state.sweptAtMs).toBe(before);
    // It is set forward once more.
    wall.jumpedMs = 2 * 60_000;
    await clock.advance(SWEEP_EVERY_MS);
    expect(asked).toEqual([]);
    await clock.advance(SWEEP_EVERY_MS + 60_000);
    expect(rows.refreshFamilies).toBe(0);
    expect(state.sweptAtMs).not.toBe(before);
  });

  test('too early; but a server that was away for a day removes old rows at its first sweep', async () => {
    const { clock, rows, state } = started(KEPT, DAY_MS);
    await clock.advance(FIRST_SWEEP_MS + 60_000);
    expect(rows.refreshFamilies).toBe(0);
    expect(clock.epochMs() - (state.sweptAtMs ?? 0)).toBeLessThan(DAY_MS);
  });

  test('while the database fails; a later sweep does it', async () => {
    const { clock, state, rows, log } = started();
    state.fails = true;
    await clock.advance(FIRST_SWEEP_MS);
    expect(log.lines.map(({ level }) => level)).toEqual(['warn']);
    state.fails = false;
    await clock.advance(SWEEP_EVERY_MS + 60_000);
    expect(rows.refreshFamilies).toBe(0);
  });

  test('after a stop, not even the rest of a sweep', async () => {
    const { clock, retention, asked } = started();
    await clock.advance(FIRST_SWEEP_MS);
    retention.stop();
    await clock.advance(10 * SWEEP_EVERY_MS);
    expect(asked).toHaveLength(1);
    expect(clock.pendingTimers).toBe(0);
  });
});
