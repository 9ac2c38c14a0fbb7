import { describe, expect, test } from '@jest/globals';
import type { CommandAccess } from '@relaygate/server/commands/command-store';
import { countedAtOwner, type OutputDriverDeps } from '@relaygate/server/commands/drive-output';
import type { CommandAnswer, CommandOrder } from '@relaygate/server/commands/order';
import { Budgets } from '@relaygate/server/limits/budgets';
import { RelaygateError } from '@relaygate/shared';
import { ALLOWED } from '../../../support/server/dispatcher-bench';
import { driverOf, keylessDriver } from '../../../support/server/output-driver';
import { VirtualClock } from '../../../support/time/virtual-clock';

const TOGGLE = { numOutput: 0, action: { action: 'toggle' } } as const;
const DONE: CommandAnswer = { kind: 'ok', commandId: 'x' };

interface Bench {
  clock: VirtualClock;
  /** The answer's code, or `ok`; with the seconds to wait. */
  give(productLogin?: string, clientId?: string): Promise<string>;
  answer: () => Promise<CommandAnswer>;
  access: CommandAccess | undefined;
}

function benchOf(limits: { productPerMinute: number; clientPerMinute: number }): Bench {
  const clock = new VirtualClock();
  const bench: Bench = {
    clock,
    answer: async () => DONE,
    access: ALLOWED,
    async give(productLogin = 'gate', clientId = 'client') {
      const order: CommandOrder = { clientId, productLogin, ...TOGGLE };
      try {
        const answer = await drive(order);
        return answer.kind === 'error' ? answer.code : answer.kind;
      } catch (error) {
        if (!(error instanceof RelaygateError)) throw error;
        return `${error.code} ${error.retryAfterSeconds}`;
      }
    },
  };
  const { productPerMinute, clientPerMinute } = limits;
  const budgets = {
    products: Budgets.perMinute(clock, productPerMinute),
    clients: Budgets.perMinute(clock, clientPerMinute),
  };
  const drive = keylessDriver(
    async () => bench.access,
    () => bench.answer(),
    budgets,
  );
  return bench;
}

async function times(count: number, give: () => Promise<string>): Promise<string[]> {
  const answers = [];
  for (let n = 0; n < count; n += 1) answers.push(await give());
  return [...new Set(answers)];
}

describe('the commands of a client', () => {
  test('to one product are bounded: so many at once, refilled evenly over the minute', async () => {
    const { give, clock } = benchOf({ productPerMinute: 6, clientPerMinute: 100 });
    expect(await times(6, give)).toEqual(['ok']);
    expect(await give()).toBe('too-many-requests 10');
    expect(await give('other')).toBe('ok');
    expect(await give('gate', 'another client')).toBe('ok');
    await clock.advance(9_999);
    expect(await give()).toBe('too-many-requests 1');
    await clock.advance(1);
    expect([await give(), await give()]).toEqual(['ok', 'too-many-requests 10']);
    await clock.advance(60_000);
    expect(await times(6, give)).toEqual(['ok']);
    expect(await give()).toBe('too-many-requests 10');
  });

  test('to all products are bounded as well; what one budget refuses costs the other nothing', async () => {
    const { give, clock } = benchOf({ productPerMinute: 60, clientPerMinute: 3 });
    expect([await give('a'), await give('b'), await give('c')]).toEqual(['ok', 'ok', 'ok']);
    expect(await times(100, () => give('a'))).toEqual(['too-many-requests 20']);
    await clock.advance(20_000);
    // The budget of product `a` is whole: it lost nothing to those that were refused.
    expect([await give('a'), await give('b', 'another client')]).toEqual(['ok', 'ok']);
  });

  test('which one product refuses leave the budget in all for others', async () => {
    const { give } = benchOf({ productPerMinute: 1, clientPerMinute: 3 });
    expect(await give('a')).toBe('ok');
    expect(await times(100, () => give('a'))).toEqual(['too-many-requests 60']);
    expect([await give('b'), await give('c'), await give('d')]).toEqual(['ok', 'ok', 'too-many-requests 20']);
  });
});

describe('the budget is not touched', () => {
  const LIMITS = { productPerMinute: 2, clientPerMinute: 2 };

  test.each<[string, () => Promise<CommandAnswer>]>([
    ['another one is in flight', async () => ({ kind: 'error', code: 'request-already-pending' })],
    [
      'its record could not be written',
      async () => ({ kind: 'error', code: 'unknown', commandId: 'x', isUnrecorded: true }),
    ],
    ['it went to no node', async () => ({ kind: 'error', code: 'unknown', isUnrecorded: true })],
    [
      'the same one is at work at another node',
      async () => ({ kind: 'error', code: 'device-timeout', commandId: 'x', isReplayed: true }),
    ],
  ])('by a command that is not recorded: %s', async (_why, answer) => {
    const bench = benchOf(LIMITS);
    bench.answer = answer;
    const [code, ...others] = await times(100, bench.give);
    expect([['unknown', 'request-already-pending', 'device-timeout'].includes(code ?? ''), others]).toEqual([true, []]);
    bench.answer = async () => DONE;
    expect(await times(2, bench.give)).toEqual(['ok']);
    expect(await bench.give()).toBe('too-many-requests 30');
  });

  test('by a command that cannot begin', async () => {
    const bench = benchOf(LIMITS);
    bench.answer = () => Promise.reject(new RelaygateError('unknown'));
    expect(await times(100, bench.give)).toEqual(['unknown undefined']);
    bench.answer = async () => DONE;
    expect(await times(2, bench.give)).toEqual(['ok']);
  });

  test('by a command that is refused before: 401, 403, 404 and 422 win over 429', async () => {
    const bench = benchOf(LIMITS);
    const refused: [CommandAccess | undefined, string][] = [
      [undefined, 'product-not-found'],
      [{ ...ALLOWED, clientActive: false }, 'bad-token'],
      [{ ...ALLOWED, associated: false }, 'user-not-allowed'],
      [{ ...ALLOWED, outputActivated: undefined }, 'invalid-params'],
    ];
    for (const [access, code] of refused) {
      bench.access = access;
      expect(await times(10, bench.give)).toEqual([code]);
    }
    bench.access = ALLOWED;
    expect(await times(2, bench.give)).toEqual(['ok']);
    expect(await bench.give()).toBe('too-many-requests 30');
    for (const [access, code] of refused) {
      bench.access = access;
      expect(await bench.give()).toBe(code);
    }
  });
});

test('a command that is recorded costs a unit, whatever becomes of it', async () => {
  const bench = benchOf({ productPerMinute: 2, clientPerMinute: 2 });
  bench.answer = async () => ({ kind: 'error', code: 'device-timeout', commandId: 'x' });
  expect(await bench.give()).toBe('device-timeout');
  // Refused by the second look at the authorisation, after its record.
  bench.answer = async () => ({ kind: 'error', code: 'user-not-allowed', commandId: 'x' });
  expect([await bench.give(), await bench.give()]).toEqual(['user-not-allowed', 'too-many-requests 30']);
});

test('what comes from several nodes is counted once, where the product is', async () => {
  const clock = new VirtualClock();
  const budgetsOf = (): OutputDriverDeps['budgets'] => ({
    products: Budgets.perMinute(clock, 4),
    clients: Budgets.perMinute(clock, 100),
  });
  const owner = budgetsOf();
  const dispatch = countedAtOwner(owner.products, async () => DONE);
  const nodes = [owner, budgetsOf(), budgetsOf()].map((budgets) =>
    driverOf(async () => ALLOWED, { dispatch }, budgets),
  );
  const order: CommandOrder = { clientId: 'client', productLogin: 'gate', ...TOGGLE };
  const answers = [];
  for (let n = 0; n < 9; n += 1)
    answers.push(
      await nodes[n % 3]?.(order).then(
        ({ kind }) => kind,
        (error: RelaygateError) => error.retryAfterSeconds,
      ),
    );
  expect(answers).toEqual(['ok', 'ok', 'ok', 'ok', 15, 15, 15, 15, 15]);
});
