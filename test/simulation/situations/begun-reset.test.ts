import { describe, expect, test } from '@jest/globals';
import * as begunReset from '@relaygate/device-agent/agent/begun-reset';
import { traced } from '../failure';
import { ONE_GATE, oneGatePlan } from '../plan/one-gate';
import type { Plan } from '../plan/plan';
import { runPlan } from '../run';
import { changed } from '../sabotage/changed';
import type { Sabotage } from '../sabotage/sabotage';

const RESET_MS = 5_000;
/** The disk has the mark, and its agent has not heard of it. */
const BEFORE_MARK_MS = [0.01, 0.02, 0.03];

/** While a slow disk writes the mark of a factory reset, a guard starts and brings on what it restores; then the agent dies. */
function plan(agentDiesMs: number | null): Plan {
  const steps: Plan['steps'] = [
    { atMs: 2_000, do: 'technician', product: 0, request: { type: 'set', numOutput: 0, state: 1 } },
    { atMs: RESET_MS - 20, do: 'fault', fault: { kind: 'disk', machine: ONE_GATE, mode: 'slow', forMs: 100 } },
    { atMs: RESET_MS, do: 'technician', product: 0, request: { type: 'factory-reset', productLogin: ONE_GATE } },
    { atMs: RESET_MS + 30, do: 'fault', fault: { kind: 'kill', process: `guard ${ONE_GATE}`, restartMs: 20 } },
  ];
  const dies = { kind: 'kill', process: `agent ${ONE_GATE}`, restartMs: 100 } as const;
  const all: Plan['steps'] = agentDiesMs === null ? steps : [...steps, { atMs: agentDiesMs, do: 'fault', fault: dies }];
  const { products, ...rest } = oneGatePlan(all);
  return { ...rest, products: products.map((product) => ({ ...product, isReset: true })) };
}

/** When the agent knows that its mark is durable. */
async function markedMs(): Promise<number> {
  const { lines } = await traced(plan(null));
  const marked = lines.find((line) => line.includes('is being wiped'));
  if (marked === undefined) throw new Error('nothing was wiped');
  return Number.parseFloat(marked);
}

/** Whatever guard runs, the next agent goes on with the wiping. */
const asksNoGuard = (): Sabotage => ({
  inside: () =>
    changed(
      begunReset,
      'finishBegunReset',
      () =>
        ({ factoryReset }) =>
          factoryReset.finish(),
    ),
});

describe('an agent that finds a factory reset begun', () => {
  test('has the guard end that was started while the disk wrote the mark, before it wipes', async () => {
    const atMs = await markedMs();
    const found: string[] = [];
    for (const beforeMs of BEFORE_MARK_MS) {
      expect(await runPlan(plan(atMs - beforeMs))).toEqual([]);
      const violations = await runPlan(plan(atMs - beforeMs), { sabotage: asksNoGuard() });
      found.push(...violations.map(({ sentence }) => sentence));
    }
    expect(found).toContain(`output 0 of ${ONE_GATE} was on when a factory reset began to wipe`);
  });
});
