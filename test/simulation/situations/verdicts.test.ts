import { describe, expect, test } from '@jest/globals';
import type { OrderedCommand } from '@relaygate/device-agent/guard/commands/ordered-command';
import type { GuardConfirmation } from '@relaygate/device-agent/guard/protocol';
import { RunningOutput } from '@relaygate/device-agent/guard/running-output';
import { ONE_GATE, oneGatePlan } from '../plan/one-gate';
import type { Plan } from '../plan/plan';
import { runPlan } from '../run';
import { changed } from '../sabotage/changed';
import { asksNoLines } from '../sabotage/line-faults';
import type { Sabotage } from '../sabotage/sabotage';

const asked = (atMs: number, state: 0 | 1): Plan['steps'][number] => ({
  atMs,
  do: 'technician',
  product: 0,
  request: { type: 'set', numOutput: 0, state },
});

const drop = (atMs: number): Plan['steps'][number] => ({
  atMs,
  do: 'fault',
  fault: { kind: 'relay-drops', machine: ONE_GATE, output: 0 },
});

/** A technician switches output 0 on; its relay loses its supply, at a board that tells so; and it is to be on once more. */
function dropped(atMs: number): Plan {
  const { products, ...rest } = oneGatePlan([asked(2_000, 1), drop(atMs), asked(3_500, 1)]);
  return { ...rest, products: products.map((product) => ({ ...product, reads: 'lines' as const })) };
}

/** The same, at a board that does not tell, and it is to be off, twice. */
const DROPPED_OFF = oneGatePlan([asked(2_000, 1), drop(3_000), asked(3_500, 0), asked(3_900, 0)]);

/** From the `nth` time on a guard only says that it has switched it off; `orders`: and has its board do what is done. */
function callsOffDone(nth: number, orders: boolean): Sabotage {
  let order = async (_command: OrderedCommand): Promise<unknown> => null;
  return {
    driver(driver, { setup }, { history, scheduler }) {
      order = ({ commandId, startBeforeMs }) => {
        history.starts.push({ machine: setup.name, commandId, startBeforeMs, atMs: scheduler.nowMs });
        return driver.drive({ line: 0, level: 'low', notAfterMs: startBeforeMs });
      };
      return driver;
    },
    inside() {
      const { prototype } = RunningOutput;
      const { execute } = prototype;
      let times = 0;
      prototype.execute = function (given) {
        const { commandId, command } = given;
        const isOff = this.numOutput === 0 && command.action === 'set' && command.state === 0;
        times += isOff ? 1 : 0;
        if (!isOff || times < nth) return execute.call(this, given);
        const done = orders ? order(given) : Promise.resolve();
        return done.then(() => ({ commandId, outcome: 'executed', numOutput: 0, state: 0 }));
      };
      return () => {
        prototype.execute = execute;
      };
    },
  };
}

/** A technician ends a pulse of two seconds a second before its end. */
const ENDED = oneGatePlan(
  [
    { atMs: 3_000, do: 'technician', product: 0, request: { type: 'pulse', numOutput: 0 } },
    { atMs: 4_000, do: 'technician', product: 0, request: { type: 'stop', numOutput: 0, afterMs: 0 } },
  ],
  { rules: { mode: 'impulse', powerOn: 'off', pulseMs: 2_000 } },
);

/** A guard ends no pulse before its time, and says this of it, so long after it was asked to. */
function saysOfPulse(outcome: GuardConfirmation['outcome'], afterMs: number): Sabotage {
  let later = (): Promise<unknown> => Promise.resolve();
  return {
    driver(driver, _device, { scheduler }) {
      later = () => new Promise<void>((resolve) => void scheduler.in(afterMs, resolve));
      return driver;
    },
    inside: () =>
      changed(RunningOutput.prototype, 'stop', () => async ({ commandId }) => {
        await later();
        return { commandId, outcome };
      }),
  };
}

/** The board goes while its guard has the second command in hand, and the relay falls in the very moment of the answer. */
const FALLEN = oneGatePlan([
  asked(2_000, 1),
  {
    atMs: 3_000,
    do: 'fault',
    fault: { kind: 'board-away', machine: ONE_GATE, points: 3, forMs: 500, relays: 'fall', tells: true },
  },
  asked(3_500, 1),
]);

describe('the checker', () => {
  test.each([3_000, 3_499])(
    'takes no guard’s word for what a technician asks, of a relay off since %i (I3)',
    async (ms) => {
      expect(await runPlan(dropped(ms))).toEqual([]);
      expect(await runPlan(dropped(ms), { sabotage: asksNoLines() })).toContainEqual(
        expect.objectContaining({
          invariant: 'I3',
          sentence: expect.stringContaining(`${ONE_GATE} said already-set, and its relay was not so (local-`),
        }),
      );
    },
  );

  test.each<[string, number, boolean]>([
    ['the first time, without an order', 1, false],
    ['once more, without an order', 2, false],
    ['once more, with another order', 2, true],
  ])('takes no guard’s word for having switched off what had lost its supply, %s (I3)', async (_what, nth, asks) => {
    expect(await runPlan(DROPPED_OFF)).toEqual([]);
    expect(await runPlan(DROPPED_OFF, { sabotage: callsOffDone(nth, asks) })).toContainEqual(
      expect.objectContaining({
        invariant: 'I3',
        sentence: expect.stringContaining(`${ONE_GATE} said executed, and its relay had not moved (local-`),
      }),
    );
  });

  test.each<[GuardConfirmation['outcome'], string, number]>([
    ['executed', 'its pulse had not been ended', 1],
    ['executed', 'its pulse had not been ended', 1_500],
    ['already-set', 'its relay was not so', 1],
  ])(
    'takes no guard’s word for having ended a pulse: %s, and %s, said after %i ms (I3)',
    async (outcome, untruth, ms) => {
      expect(await runPlan(ENDED)).toEqual([]);
      expect(await runPlan(ENDED, { sabotage: saysOfPulse(outcome, ms) })).toContainEqual(
        expect.objectContaining({
          invariant: 'I3',
          sentence: expect.stringContaining(`${ONE_GATE} said ${outcome}, and ${untruth} (local-`),
        }),
      );
    },
  );

  test('finds a relay as its guard says it is that falls in the very moment in which it says so', async () => {
    expect(await runPlan(FALLEN)).toEqual([]);
  });

  test('judges a guard that hung by what was so when it began to: it hears of the command before the board that has gone', async () => {
    const hung: Plan['steps'][number][] = [
      {
        atMs: 3_000,
        do: 'fault',
        fault: { kind: 'stall', process: `guard ${ONE_GATE}`, forMs: 1_500, timersFirst: true },
      },
      {
        atMs: 3_600,
        do: 'fault',
        fault: { kind: 'board-away', machine: ONE_GATE, points: 0, forMs: 500, relays: 'fall', tells: false },
      },
    ];
    expect(
      await runPlan(oneGatePlan([asked(2_000, 1), ...hung, asked(3_500, 1)].toSorted((a, b) => a.atMs - b.atMs))),
    ).toEqual([]);
  });
});
