import { beforeEach, describe, expect, test } from '@jest/globals';
import type { ToldHistory } from '@relaygate/server/audit/device-history';
import { HistoryBudgets } from '@relaygate/server/gateway/history-budgets';
import { HistorySaver } from '@relaygate/server/gateway/history-saver';
import {
  type Events,
  type EventsKept,
  HISTORY_BURST,
  HISTORY_PER_SECOND,
  MAX_EVENTS_PER_FRAME,
  RelaygateError,
} from '@relaygate/shared';
import { collectingLog } from '../../../support/collecting-log';
import { settled, VirtualClock } from '../../../support/virtual-clock';

const ID = 'h'.repeat(16);
let clock: VirtualClock;
let kept: number[];
let answers: EventsKept[];
let problem: Error | null;
let historyBudgets: HistoryBudgets;

beforeEach(() => {
  clock = new VirtualClock();
  [kept, answers, problem] = [[], [], null];
  historyBudgets = new HistoryBudgets(clock);
});

function saver(productLogin = 'gate'): HistorySaver {
  const keepHistory = async (_login: string, _epoch: number, { entries }: ToldHistory) => {
    if (problem) throw problem;
    kept.push(...entries.map(({ seq }) => seq));
    return kept.at(-1) ?? 0;
  };
  const parts = { store: { keepHistory }, historyBudgets, clock, wallClock: clock, log: collectingLog() };
  return new HistorySaver(parts, productLogin, 1, (answer) => answers.push(answer));
}

const seqs = (first: number, count = 1): number[] => Array.from({ length: count }, (_, n) => first + n);
function frame(told: number[]): Events {
  const who = { actor: 'a', kind: 'pulse', changes: [], atMs: null, bootId: 'b', bootMs: 1 };
  return { type: 'events', historyId: ID, entries: told.map((seq) => ({ seq, ...who })) };
}

test('an answer comes once the entries are kept', async () => {
  saver().take(frame([1, 2]));
  expect(answers).toEqual([]);
  await settled();
  expect(answers).toEqual([{ type: 'events-kept', historyId: ID, upTo: 2 }]);
});

test('what a link tells while a later one opens is kept once that has come to nothing', async () => {
  let isHeld = false;
  const keepHistory = async () => (isHeld ? 1 : undefined);
  const parts = { store: { keepHistory }, historyBudgets, clock, wallClock: clock, log: collectingLog() };
  new HistorySaver(parts, 'gate', 1, (answer) => answers.push(answer)).take(frame([1]));
  await clock.advance(2_000);
  expect(answers).toEqual([]);
  isHeld = true;
  await clock.advance(1_000);
  expect(answers).toEqual([{ type: 'events-kept', historyId: ID, upTo: 1 }]);
});

test('a frame that comes before the answer to the one before is passed over', async () => {
  const history = saver();
  history.take(frame([1]));
  history.take(frame([2]));
  await settled();
  history.take(frame([3]));
  await settled();
  expect(kept).toEqual([1, 3]);
});

test('what the database refuses is tried again every second, and answered then', async () => {
  problem = new Error('locked');
  saver().take(frame([1]));
  await clock.advance(5_000);
  expect(answers).toEqual([]);
  problem = null;
  await clock.advance(1_000);
  expect([kept, answers.length]).toEqual([[1], 1]);
});

test('a link that has ended gets no answer, and nothing is tried again', async () => {
  problem = new Error('locked');
  const history = saver();
  history.take(frame([1]));
  await settled();
  history.stop();
  problem = null;
  await clock.advance(60_000);
  expect([kept, answers]).toEqual([[], []]);
  expect(clock.pendingTimers).toBe(0);
});

test('a device that tells without end is slowed down to the rate, over its links as well, and no other is (I15)', async () => {
  let next = 1;
  const frames = Math.ceil(HISTORY_BURST / MAX_EVENTS_PER_FRAME);
  for (let turn = 0; turn < frames; turn += 1) {
    saver().take(frame(seqs(next, MAX_EVENTS_PER_FRAME)));
    next += MAX_EVENTS_PER_FRAME;
    await settled();
  }
  const atOnce = kept.length;
  expect(atOnce).toBeLessThanOrEqual(HISTORY_BURST);
  expect(atOnce).toBeGreaterThan(HISTORY_BURST - MAX_EVENTS_PER_FRAME);
  const history = saver();
  for (let second = 0; second < 600; second += 1) {
    history.take(frame(seqs(next, MAX_EVENTS_PER_FRAME)));
    next += MAX_EVENTS_PER_FRAME;
    await clock.advance(1_000);
  }
  expect(kept.length - atOnce).toBeLessThanOrEqual(600 * HISTORY_PER_SECOND + 2 * MAX_EVENTS_PER_FRAME);
  expect(kept.length - atOnce).toBeGreaterThan(500 * HISTORY_PER_SECOND);
  answers = [];
  saver('door').take(frame([1]));
  await settled();
  expect(answers).toHaveLength(1);
});

describe('a device whose links end before its answer comes', () => {
  const whole = seqs(1, MAX_EVENTS_PER_FRAME);
  const spendAll = (): number => historyBudgets.take('gate', HISTORY_BURST);
  const flap = async (forMs: number): Promise<void> => {
    for (const untilMs = clock.nowMs() + forMs; clock.nowMs() < untilMs; ) {
      const history = saver();
      history.take(frame(whole));
      await clock.advance(5_000);
      history.stop();
    }
  };

  test('owes nothing for what was not kept, and goes on at the rate', async () => {
    spendAll();
    await flap(3_600_000);
    expect(kept.length).toBeGreaterThan(3_600 * HISTORY_PER_SECOND - 2 * MAX_EVENTS_PER_FRAME);
    expect(kept.length).toBeLessThanOrEqual(3_600 * HISTORY_PER_SECOND);
  });

  test('owes nothing for what the database refused either', async () => {
    problem = new RelaygateError('storage-unavailable');
    await flap(3_600_000);
    problem = null;
    expect(spendAll()).toBe(0);
  });

  test('owes what is kept after its link has ended, and what may be (I15)', async () => {
    for (const end of [async () => {}, () => Promise.reject(new RelaygateError('storage-unanswered'))]) {
      historyBudgets = new HistoryBudgets(clock);
      const keepHistory = async () => {
        await end();
        return MAX_EVENTS_PER_FRAME;
      };
      const parts = { store: { keepHistory }, historyBudgets, clock, wallClock: clock, log: collectingLog() };
      const history = new HistorySaver(parts, 'gate', 1, (answer) => answers.push(answer));
      history.take(frame(whole));
      history.stop();
      await settled();
      expect(spendAll()).toBe((MAX_EVENTS_PER_FRAME / HISTORY_PER_SECOND) * 1000);
    }
    problem = new RelaygateError('storage-unanswered');
    historyBudgets = new HistoryBudgets(clock);
    const history = saver();
    history.take(frame(whole));
    await settled();
    problem = new RelaygateError('storage-unavailable');
    await clock.advance(1_000);
    history.stop();
    expect(spendAll()).toBeGreaterThan(0);
  });
});
