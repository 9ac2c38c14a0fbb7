import { describe, expect, test } from '@jest/globals';
import { RunningOutput } from '@relaygate/device-agent/guard/running-output';
import type { OutputSettings } from '@relaygate/shared/device';
import { ONE_GATE, oneGatePlan } from '../plan/one-gate';
import type { Plan } from '../plan/plan';
import { runPlan } from '../run';
import type { Sabotage } from '../sabotage/sabotage';

const OUTPUT = 1;

const asked = (atMs: number): Plan['steps'][number] => ({
  atMs,
  do: 'call',
  client: 0,
  call: { kind: 'set', product: 0, numOutput: OUTPUT, state: 1 },
});

/** An output is switched on; its relay loses its supply, at a board that tells so; and it is to be on once more. */
function dropped(rules: Partial<OutputSettings>, ...faults: Plan['steps']): Plan {
  const drop: Plan['steps'][number] = {
    atMs: 3_000,
    do: 'fault',
    fault: { kind: 'relay-drops', machine: ONE_GATE, output: OUTPUT },
  };
  const { products, ...rest } = oneGatePlan([asked(2_000), drop, asked(3_200), ...faults]);
  const withRules = (product: Plan['products'][number]): Plan['products'][number] => ({
    ...product,
    outputs: product.outputs.map((output, n) => (n === OUTPUT ? { ...output, ...rules } : output)),
    reads: 'lines',
  });
  return { ...rest, products: products.map(withRules) };
}

/** A guard that forgets what its board has told it of that relay. */
function forgetsLooks(): Sabotage {
  return {
    inside() {
      const { prototype } = RunningOutput;
      const state = Object.getOwnPropertyDescriptor(prototype, 'state');
      const outputs = new WeakSet<RunningOutput>();
      Object.defineProperty(prototype, 'state', {
        configurable: true,
        get(this: RunningOutput) {
          const real = state?.get?.call(this);
          if (real === 1 && this.numOutput === OUTPUT) outputs.add(this);
          return outputs.has(this) ? 1 : real;
        },
      });
      return () => {
        if (state) Object.defineProperty(prototype, 'state', state);
      };
    },
  };
}

describe('the checker', () => {
  test('lets a relay that has dropped be shown as on while no order has had its board looked at: the last one came too late', async () => {
    const hung: Plan['steps'][number] = {
      atMs: 3_205,
      do: 'fault',
      fault: { kind: 'stall', process: `agent ${ONE_GATE}`, forMs: 6_000, timersFirst: false },
    };
    expect(await runPlan(dropped({}, hung))).toEqual([]);
  });

  test('wants a relay that has dropped to be shown as off once the board has been looked at, for a refused order too (I11)', async () => {
    const plan = dropped({ minSwitchIntervalMs: 1_500 });
    expect(await runPlan(plan)).toEqual([]);
    expect(await runPlan(plan, { sabotage: forgetsLooks() })).toContainEqual(
      expect.objectContaining({
        invariant: 'I11',
        sentence: `${ONE_GATE}: output ${OUTPUT} is shown as 1, and the relay is off (on-off)`,
      }),
    );
  });
});
