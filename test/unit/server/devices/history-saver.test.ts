import { beforeEach, describe, expect, test } from '@jest/globals';
import { historySizeBytes, type ReportedHistory } from '@relaygate/server/audit/device-history';
import { HistorySaver } from '@relaygate/server/devices/history-saver';
import { type WriteBudgets, writeBudgets } from '@relaygate/server/limits/write-budgets';
import {
  type Events,
  type EventsKept,
  HISTORY_BURST_BYTES,
  HISTORY_BYTES_PER_SECOND,
  type HistoryEntry,
  KEPT_HISTORY_ENTRIES,
  LINK_MAX_FRAME_BYTES,
  MAX_EVENT_CHANGES,
  MAX_EVENT_VALUE_CHARS,
  MAX_EVENTS_PER_FRAME,
  RelaygateError,
} from '@relaygate/shared';
import { collectingLog } from '../../../support/server/collecting-log';
import { settled, VirtualClock } from '../../../support/time/virtual-clock';

const ID = 'h'.repeat(16);
let clock: VirtualClock;
let kept: number[];
let answers: EventsKept[];
let problem: Error | null;
let budgets: WriteBudgets;
let keptBytes: number;

beforeEach(() => {
  clock = new VirtualClock();
  [kept, answers, problem] = [[], [], null];
  budgets = writeBudgets(clock);
  keptBytes = 0;
});

function saver(productLogin = 'gate'): HistorySaver {
  const keepHistory = async (login: string, _epoch: number, reported: ReportedHistory) => {
    if (problem) throw problem;
    kept.push(...reported.entries.map(({ seq }) => seq));
    keptBytes += historySizeBytes(login, reported);
    return kept.at(-1) ?? 0;
  };
  const deps = { store: { keepHistory }, budgets, clock, wallClock: clock, log: collectingLog() };
  return new HistorySaver(deps, productLogin, 1, (answer) => answers.push(answer));
}

const seqs = (first: number, count = 1): number[] => Array.from({ length: count }, (_, n) => first + n);
function frame(entrySeqs: number[]): Events {
  const who = { actor: 'a', kind: 'pulse', changes: [], atMs: null, bootId: 'b', bootMs: 1 };
  return { type: 'events', historyId: ID, entries: entrySeqs.map((seq) => ({ seq, ...who })) };
}

test('an answer comes once the entries are kept', async () => {
  saver().take(frame([1, 2]));
  expect(answers).toEqual([]);
  await settled();
  expect(answers).toEqual([{ type: 'events-kept', historyId: ID, upTo: 2 }]);
});

test('what a link reports while a later one opens is kept after that one has failed', async () => {
  let isHeld = false;
  const keepHistory = async () => (isHeld ? 1 : undefined);
  const deps = { store: { keepHistory }, budgets, clock, wallClock: clock, log: collectingLog() };
  new HistorySaver(deps, 'gate', 1, (answer) => answers.push(answer)).take(frame([1]));
  await clock.advance(2_000);
  expect(answers).toEqual([]);
  isHeld = true;
  await clock.advance(1_000);
  expect(answers).toEqual([{ type: 'events-kept', historyId: ID, upTo: 1 }]);
});

test('the frame behind one that came twice is kept, and answered', async () => {
  const history = saver();
  for (const seq of [1, 1, 2]) history.take(frame([seq]));
  await settled();
  expect(kept).toEqual([1, 2]);
  expect(answers.at(-1)).toMatchObject({ upTo: 2 });
});

test('of frames that come before the answer only the last waits (I15), and none behind the end of the link', async () => {
  const history = saver();
  for (const seq of [1, 2, 3]) history.take(frame([seq]));
  await settled();
  expect(kept).toEqual([1, 3]);
  for (const seq of [4, 5]) history.take(frame([seq]));
  history.stop();
  await settled();
  expect(kept).toEqual([1, 3, 4]);
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

/** The largest that a frame takes. */
const LONG: HistoryEntry = {
  ...{ seq: 1, actor: 'a', kind: 'output', atMs: null, bootId: 'b', bootMs: 1 },
  changes: Array.from({ length: MAX_EVENT_CHANGES }, () => ({
    member: 'outputs.2.name',
    from: '€'.repeat(MAX_EVENT_VALUE_CHARS),
    to: '€'.repeat(MAX_EVENT_VALUE_CHARS),
  })),
};

test('a whole history of ordinary entries is kept at once, over as many links as it takes', async () => {
  for (let seq = 1; seq < KEPT_HISTORY_ENTRIES; seq += MAX_EVENTS_PER_FRAME) {
    saver().take(frame(seqs(seq, MAX_EVENTS_PER_FRAME)));
    await settled();
  }
  expect(kept.length).toBeGreaterThanOrEqual(KEPT_HISTORY_ENTRIES);
  expect(keptBytes).toBeLessThan(HISTORY_BURST_BYTES / 2);
});

test('a device that reports long entries without end is slowed down to the rate, over its links as well, and no other is (I15)', async () => {
  const frameBytes = Buffer.byteLength(JSON.stringify({ type: 'events', historyId: ID, entries: [LONG] }));
  expect(frameBytes).toBeLessThan(LINK_MAX_FRAME_BYTES);
  const report = (history: HistorySaver, seq: number) =>
    history.take({ type: 'events', historyId: ID, entries: [{ ...LONG, seq }] });
  const longBytes = historySizeBytes('gate', { historyId: ID, entries: [LONG] });
  let seq = 1;
  // Each on a link of its own, until an answer waits.
  for (; answers.length === seq - 1; seq += 1) {
    report(saver(), seq);
    await settled();
  }
  const atOnceBytes = keptBytes;
  expect(atOnceBytes).toBeLessThanOrEqual(HISTORY_BURST_BYTES);
  expect(atOnceBytes).toBeGreaterThan(HISTORY_BURST_BYTES - 2 * longBytes);
  const history = saver();
  for (let second = 0; second < 3_600; second += 1) {
    report(history, seq + second);
    await clock.advance(1_000);
  }
  expect(keptBytes - atOnceBytes).toBeLessThanOrEqual(3_600 * HISTORY_BYTES_PER_SECOND + longBytes);
  expect(keptBytes - atOnceBytes).toBeGreaterThan(3_600 * HISTORY_BYTES_PER_SECOND - 2 * longBytes);
  answers = [];
  saver('door').take(frame([1]));
  await settled();
  expect(answers).toHaveLength(1);
});

describe('a device whose links end before its answer comes', () => {
  const whole = seqs(1, MAX_EVENTS_PER_FRAME);
  const wholeBytes = historySizeBytes('gate', frame(whole));
  const spendAll = (): number => budgets.history.of('gate').spend(HISTORY_BURST_BYTES);
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
    expect(keptBytes).toBeGreaterThan(3_600 * HISTORY_BYTES_PER_SECOND - 2 * wholeBytes);
    expect(keptBytes).toBeLessThanOrEqual(3_600 * HISTORY_BYTES_PER_SECOND);
  });

  test('owes nothing for what the database refused either', async () => {
    problem = new RelaygateError('storage-unavailable');
    await flap(3_600_000);
    problem = null;
    expect(spendAll()).toBe(0);
  });

  test('owes what is kept after its link has ended, and what may be (I15)', async () => {
    for (const end of [async () => {}, () => Promise.reject(new RelaygateError('storage-unanswered'))]) {
      budgets = writeBudgets(clock);
      const keepHistory = async () => {
        await end();
        return MAX_EVENTS_PER_FRAME;
      };
      const deps = { store: { keepHistory }, budgets, clock, wallClock: clock, log: collectingLog() };
      const history = new HistorySaver(deps, 'gate', 1, (answer) => answers.push(answer));
      history.take(frame(whole));
      history.stop();
      await settled();
      expect(spendAll()).toBeCloseTo((wholeBytes / HISTORY_BYTES_PER_SECOND) * 1000, -1);
    }
    problem = new RelaygateError('storage-unanswered');
    budgets = writeBudgets(clock);
    const history = saver();
    history.take(frame(whole));
    await settled();
    problem = new RelaygateError('storage-unavailable');
    await clock.advance(1_000);
    history.stop();
    expect(spendAll()).toBeGreaterThan(0);
  });
});
