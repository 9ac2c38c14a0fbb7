import { describe, expect, test } from '@jest/globals';
import type { KeyedCommand } from '@relaygate/server/commands/command-store';
import { idempotent } from '@relaygate/server/commands/idempotent-commands';
import { type CommandAnswer, type CommandOrder, SLOT_TAKEN } from '@relaygate/server/commands/order';
import { DEVICE_REASONS, IDEMPOTENCY_AGAIN_MS, IDEMPOTENCY_ANEW_MS, RESPONSE_DEADLINE_MS } from '@relaygate/shared';
import { ORDER } from '../../../support/server/dispatcher-bench';
import { VirtualClock } from '../../../support/time/virtual-clock';

const HASH = 'asked';
const KEYED: CommandOrder = { ...ORDER, idempotency: { key: 'key', requestHash: HASH, insteadOf: null } };
const DONE: CommandAnswer = { kind: 'ok', commandId: 'new' };
const row = (changes: Partial<KeyedCommand>): KeyedCommand => ({
  commandId: 'old',
  requestHash: HASH,
  outcome: 'executed',
  reason: null,
  ageMs: 5,
  ...changes,
});

/** `rows`: what the key stands for, at each look. */
function bench(rows: (KeyedCommand | undefined)[], answers: CommandAnswer[] = [DONE]) {
  const clock = new VirtualClock();
  const orders: CommandOrder[] = [];
  const unsaved = new Map<string, { outcome: 'executed' | 'expired'; reason: null }>();
  const store = { findKeyed: async () => (rows.length > 1 ? rows.shift() : rows[0]) };
  const outcomes = { latest: (commandId: string) => unsaved.get(commandId) as never };
  let answering: Promise<void> = Promise.resolve();
  const dispatch = idempotent({ store, outcomes, clock }, async (order) => {
    orders.push(order);
    await answering;
    return (answers.length > 1 ? answers.shift() : answers[0]) ?? DONE;
  });
  return { clock, orders, unsaved, dispatch, hold: (until: Promise<void>) => (answering = until) };
}

describe('a command under a key', () => {
  test('without one it goes its way, whatever was before', async () => {
    const { dispatch, orders } = bench([row({})]);
    expect(await dispatch(ORDER)).toBe(DONE);
    expect(orders).toEqual([ORDER]);
  });

  test('a new key runs', async () => {
    const { dispatch, orders } = bench([undefined]);
    expect(await dispatch(KEYED)).toEqual(DONE);
    expect(orders).toEqual([KEYED]);
  });

  test.each([
    ['executed', { kind: 'ok' }],
    ['confirmed-late', { kind: 'ok' }],
    ['already-set', { kind: 'already-set' }],
    ['unknown', { kind: 'error', code: 'device-timeout' }],
    ['unproven', { kind: 'error', code: 'device-timeout' }],
  ] as const)('of one that is %s a repetition gets the answer, and moves nothing', async (outcome, answer) => {
    const { dispatch, orders } = bench([row({ outcome })]);
    expect(await dispatch(KEYED)).toEqual({ ...answer, commandId: 'old', isReplayed: true });
    expect(orders).toEqual([]);
  });

  const moved = Object.entries(DEVICE_REASONS).map(([reason, of]) => [reason, of.moved] as const);
  test.each([
    ...moved,
    ['not-allowed-any-more', 'no'],
    ['toggle-already-set', 'maybe'],
    ['of another version', 'maybe'],
  ])('refused with %s, moved: %s: it runs anew only if certainly nothing moved', async (reason, isMoved) => {
    const { dispatch, orders } = bench([row({ outcome: 'refused', reason })]);
    const insteadOf = { ...KEYED, idempotency: { key: 'key', requestHash: HASH, insteadOf: 'old' } };
    const timeout = { kind: 'error', code: 'device-timeout', commandId: 'old', isReplayed: true };
    expect(await dispatch(KEYED)).toEqual(isMoved === 'no' ? DONE : timeout);
    expect(orders).toEqual(isMoved === 'no' ? [insteadOf] : []);
  });

  test.each([
    [IDEMPOTENCY_ANEW_MS - 1, 'new'],
    [IDEMPOTENCY_ANEW_MS, 'old'],
    [-1, 'old'],
  ])('expired, %d ms after the key came first: the %s one answers', async (ageMs, commandId) => {
    const { dispatch } = bench([row({ outcome: 'expired', ageMs })]);
    expect(await dispatch(KEYED)).toMatchObject({ commandId });
  });

  test('another request is refused, before and after the first has its record', async () => {
    const refused = { kind: 'error', code: 'idempotency-key-reused' };
    const another = { ...KEYED, idempotency: { key: 'key', requestHash: 'another', insteadOf: null } };
    expect(await bench([row({})]).dispatch(another)).toEqual(refused);
    const { dispatch, orders } = bench([undefined]);
    const first = dispatch(KEYED);
    expect(await dispatch(another)).toEqual(refused);
    await first;
    expect(orders).toHaveLength(1);
  });

  test('two at once: the second waits for the answer of the first', async () => {
    const { dispatch, orders } = bench([undefined]);
    const both = await Promise.all([dispatch(KEYED), dispatch(KEYED)]);
    expect(both).toEqual([DONE, { ...DONE, isReplayed: true }]);
    expect(orders).toHaveLength(1);
  });

  test('one client does not meet the keys of another', async () => {
    const { dispatch, orders } = bench([undefined]);
    await Promise.all([dispatch(KEYED), dispatch({ ...KEYED, clientId: 'another' })]);
    expect(orders).toHaveLength(2);
  });

  test.each([
    ['pending elsewhere', { outcome: 'pending' }],
    [
      'unknown since its server ended, and perhaps at work at its device',
      { outcome: 'unknown', reason: 'server-restarted' },
    ],
  ] as const)('one that is %s is waited for, and is not refused with 409', async (_what, now) => {
    const { dispatch, clock } = bench([row(now), row(now), row({})]);
    const answer = dispatch(KEYED);
    await clock.advance(2 * IDEMPOTENCY_AGAIN_MS);
    expect(await answer).toEqual({ kind: 'ok', commandId: 'old', isReplayed: true });
  });

  test('for 5 s at most', async () => {
    const { dispatch, clock, orders } = bench([row({ outcome: 'pending' })]);
    const answer = dispatch(KEYED);
    await clock.advance(RESPONSE_DEADLINE_MS);
    expect(await answer).toEqual({ kind: 'error', code: 'device-timeout', commandId: 'old', isReplayed: true });
    expect(orders).toEqual([]);
  });

  test('one that its server has left behind is not waited for any more when its device must have said so', async () => {
    const ended = row({ outcome: 'unknown', reason: 'server-restarted', ageMs: 20_000 });
    const { dispatch, clock, orders } = bench([ended]);
    await clock.advance(20_000);
    expect(await dispatch(KEYED)).toEqual({
      kind: 'error',
      code: 'device-timeout',
      commandId: 'old',
      isReplayed: true,
    });
    expect(orders).toEqual([]);
  });

  test('one that another server has left behind is waited for, however long this one has run', async () => {
    const ended = row({ outcome: 'unknown', reason: 'server-restarted', ageMs: 19_999 });
    const { dispatch, clock } = bench([ended, row({})]);
    await clock.advance(20_000);
    const answer = dispatch(KEYED);
    await clock.advance(IDEMPOTENCY_AGAIN_MS);
    expect(await answer).toEqual({ kind: 'ok', commandId: 'old', isReplayed: true });
  });

  test('one that has waited for what moved nothing does not run anew, 5 s after it came', async () => {
    const { dispatch, clock, orders } = bench([row({ outcome: 'pending' }), row({ outcome: 'expired' })]);
    const answer = dispatch(KEYED);
    await clock.advance(IDEMPOTENCY_AGAIN_MS);
    expect(await answer).toEqual({ kind: 'error', code: 'device-timeout', commandId: 'old', isReplayed: true });
    expect(orders).toEqual([]);
    expect(await dispatch(KEYED)).toEqual(DONE);
  });

  test('an outcome that is not written yet counts', async () => {
    const { dispatch, unsaved } = bench([row({ outcome: 'pending' })]);
    unsaved.set('old', { outcome: 'executed', reason: null });
    expect(await dispatch(KEYED)).toEqual({ kind: 'ok', commandId: 'old', isReplayed: true });
  });

  test('one that moved nothing keeps its key until that is written: a repetition waits', async () => {
    const { dispatch, clock, unsaved, orders } = bench([row({ outcome: 'pending' }), row({ outcome: 'expired' })]);
    unsaved.set('old', { outcome: 'expired', reason: null });
    const answer = dispatch(KEYED);
    await clock.advance(IDEMPOTENCY_AGAIN_MS);
    expect(await answer).toEqual({ kind: 'error', code: 'device-timeout', commandId: 'old', isReplayed: true });
    expect(orders).toEqual([]);
  });

  test('409 for the sake of another command is told', async () => {
    const { dispatch, orders } = bench([undefined], [SLOT_TAKEN]);
    expect(await dispatch(KEYED)).toEqual(SLOT_TAKEN);
    expect(orders).toHaveLength(1);
  });

  test('409 because a repetition was quicker at another server: the answer of that one', async () => {
    const { dispatch, orders } = bench([undefined, row({ commandId: 'quicker' })], [SLOT_TAKEN]);
    expect(await dispatch(KEYED)).toEqual({ kind: 'ok', commandId: 'quicker', isReplayed: true });
    expect(orders).toHaveLength(1);
  });

  test('409 when the first has become too old meanwhile: never anew, and no word of another command', async () => {
    const rows = [IDEMPOTENCY_ANEW_MS - 1, IDEMPOTENCY_ANEW_MS].map((ageMs) => row({ outcome: 'expired', ageMs }));
    const { dispatch } = bench(rows, [SLOT_TAKEN]);
    expect(await dispatch(KEYED)).toEqual({
      kind: 'error',
      code: 'device-timeout',
      commandId: 'old',
      isReplayed: true,
    });
  });

  test.each([
    ['executed', { kind: 'ok' }],
    ['pending', { kind: 'error', code: 'device-timeout' }],
  ] as const)(
    '504, and another server has given the key to a command that is %s: told of that one',
    async (outcome, told) => {
      const timeout: CommandAnswer = { kind: 'error', code: 'device-timeout', commandId: 'new' };
      const { dispatch } = bench([undefined, row({ outcome })], [timeout]);
      expect(await dispatch(KEYED)).toEqual({ ...told, commandId: 'old', isReplayed: true });
      const alone = bench([undefined, row({ outcome: 'unknown', commandId: 'new' })], [timeout]);
      expect(await alone.dispatch(KEYED)).toEqual(timeout);
    },
  );

  test('a first that fails leaves nothing behind', async () => {
    const { dispatch, orders, hold } = bench([undefined]);
    hold(Promise.reject(new Error('away')));
    await expect(dispatch(KEYED)).rejects.toThrow('away');
    hold(Promise.resolve());
    expect(await dispatch(KEYED)).toEqual(DONE);
    expect(orders).toHaveLength(2);
  });
});
