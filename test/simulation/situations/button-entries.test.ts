import { describe, expect, test } from '@jest/globals';
import * as buttons from '@relaygate/device-agent/guard/inputs/button';
import { ONE_GATE, oneGatePlan } from '../plan/one-gate';
import type { Fault, Plan } from '../plan/plan';
import { runPlan } from '../run';
import { changed } from '../sabotage/changed';
import { losesPresses } from '../sabotage/entry-faults';
import type { Sabotage } from '../sabotage/sabotage';

const PRESSED_MS = 4_000;
const press = (atMs: number, timesMs: readonly number[] = [0, 200]): Plan['steps'][number] => ({
  atMs,
  do: 'input',
  product: 0,
  numInput: 2,
  moves: { kind: 'times', isActive: true, timesMs },
});
const fault = (atMs: number, what: Fault): Plan['steps'][number] => ({ atMs, do: 'fault', fault: what });
const powerCut = (atMs: number) => fault(atMs, { kind: 'power-cut', machine: ONE_GATE, offMs: 200 });
const kill = (atMs: number, process: string, restartMs: number) =>
  fault(atMs, { kind: 'kill', process: `${process} ${ONE_GATE}`, restartMs });
const fullDisk = (atMs: number, forMs: number) =>
  fault(atMs, { kind: 'disk', machine: ONE_GATE, mode: 'fails', forMs });

function planOf(...steps: Plan['steps'][number][]): Plan {
  const plan = oneGatePlan([press(PRESSED_MS), ...steps], { rules: { powerOn: 'off' } });
  const button = { kind: 'button', numInput: 2, name: 'Exit', output: 0, action: 'toggle' } as const;
  return { ...plan, products: plan.products.map((product) => ({ ...product, inputs: [button] })) };
}

/** Nothing about a press comes to the disk. */
const violationsOf = (plan: Plan) => runPlan(plan, { sabotage: losesPresses() });
const MISSING = expect.objectContaining({
  invariant: 'history',
  sentence: expect.stringContaining('not in the history'),
});

describe('the checker lets a press be missing in the history', () => {
  test.each<[string, Plan]>([
    ['when the power goes right behind it', planOf(powerCut(PRESSED_MS + 300))],
    ['when the power goes before its agent is back', planOf(kill(3_000, 'agent', 3_000), powerCut(5_500))],
    ['while its disk, which has refused it, is not tried again', planOf(fullDisk(3_500, 1_500))],
  ])('%s', async (_when, plan) => {
    expect(await violationsOf(plan)).not.toContainEqual(MISSING);
  });
});

describe('the checker does not let a press be missing in the history', () => {
  test.each<[string, Plan]>([
    ['that nothing has hindered', planOf()],
    ['that came while no agent was there', planOf(kill(3_000, 'agent', 3_000))],
    ['when the power goes long behind it', planOf(powerCut(PRESSED_MS + 4_000))],
    [
      'when another agent begins behind the trouble of its disk',
      planOf(fullDisk(3_500, 1_500), kill(8_000, 'agent', 300)),
    ],
    ['when another guard begins behind that', planOf(fullDisk(3_500, 1_500), kill(8_000, 'guard', 300))],
  ])('%s', async (_when, plan) => {
    expect(await violationsOf(plan)).toContainEqual(MISSING);
  });
});

describe('a late press whose finger bounces', () => {
  const bouncing = planOf(
    fault(6_000, { kind: 'stall', process: `guard ${ONE_GATE}`, forMs: 950, timersFirst: false }),
    press(6_020, [0, 100, 200, 300]),
  );
  /** What is too late is forgotten as soon as it is called so. */
  const countsBounces: Sabotage = {
    inside: () =>
      changed(buttons, 'stepButton', (original) => (button, event) => {
        const [next, effects] = original(button, event);
        const isOld = effects.some((effect) => effect.do === 'press' && effect.isOld);
        return [isOld ? { ...next, countedMs: button.countedMs } : next, effects];
      }),
  };

  test('is one press, and the checker does not let a guard call it two', async () => {
    expect(await runPlan(bouncing)).toEqual([]);
    expect(await runPlan(bouncing, { sabotage: countsBounces })).toContainEqual(
      expect.objectContaining({ invariant: 'I3', sentence: expect.stringContaining('and it was one with another') }),
    );
  });
});

test('the checker lets a press be unproven that found its output so, and whose input was read too slowly', async () => {
  const slowly = fault(5_500, { kind: 'board', machine: ONE_GATE, mode: 'slow', forMs: 3_000 });
  const shown = { maxOnMs: 100, feedbackInput: 9, feedbackMs: 38, interlock: 'motor' };
  const held = { kind: 'button', numInput: 2, name: 'Up', output: 0, action: 'hold', activeLevel: 'low' } as const;
  const { products, ...plan } = oneGatePlan([slowly, press(6_000, [0, 300])], { rules: { powerOn: 'off' } });
  const wired = products.map((product) => {
    const outputs = product.outputs.map((output, n) => (n === 0 ? { ...output, ...shown } : output));
    return { ...product, outputs, inputs: [held] };
  });
  expect(await runPlan({ ...plan, products: wired })).toEqual([]);
});
