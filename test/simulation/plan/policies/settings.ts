/** Devices whose outputs have policies, chosen by the seed. Times are short, so that they pass within a run. */
import { LOSS_MIN_MS } from '@relaygate/shared';
import type { OutputSettings } from '@relaygate/shared/device';
import type { SeededChance } from '../../../support/chance/seeded-chance';
import type { PlannedProduct } from '../plan';

type Policies = Partial<OutputSettings>;

/** Each on its own or beside others. */
const KINDS = ['interlock', 'max-on', 'interval', 'extend', 'link-loss', 'agent-loss', 'feedback'] as const;
const PLAIN = 0.35;

/** Of devices with two on-off outputs and two impulse outputs; about one in three stays as it is. */
export function withPolicies(chance: SeededChance, products: readonly PlannedProduct[]): PlannedProduct[] {
  return products.map((product) => ({ ...product, outputs: outputsWithPolicies(chance, product.outputs) }));
}

function outputsWithPolicies(chance: SeededChance, outputs: readonly OutputSettings[]): OutputSettings[] {
  if (chance.fraction() < PLAIN) return [...outputs];
  // Starts of an interlock meet only where three outputs and their scenes do.
  const kinds = new Set([
    chance.pick(...KINDS),
    chance.pick(...KINDS),
    chance.pick(...KINDS, 'interlock', 'interlock'),
  ]);
  const policies = outputs.map((): Policies => ({}));
  for (const kind of KINDS) {
    if (!kinds.has(kind)) continue;
    for (const [numOutput, more] of drawPolicy(chance, kind)) Object.assign(policies[numOutput] ?? {}, more);
  }
  return outputs.map((output, numOutput) => ({ ...output, ...policies[numOutput] }));
}

/** By output number. */
function drawPolicy(chance: SeededChance, kind: (typeof KINDS)[number]): [number, Policies][] {
  const onOff = chance.pick([0], [1], [0, 1]);
  const any = chance.pick([0], [1], [2], [3], [0, 1], [1, 3]);
  const each = (outputs: readonly number[], draw: (numOutput: number) => Policies): [number, Policies][] =>
    outputs.map((numOutput) => [numOutput, draw(numOutput)]);
  switch (kind) {
    case 'interlock': {
      const members = chance.pick([0, 1], [0, 1, 2], [0, 1, 2], [0, 1, 2], [1, 3]);
      const mostMs = chance.pick(0, members.length > 2 ? 0 : 500, 2_000);
      return each(members, () => ({ interlock: 'motor', interlockDelayMs: chance.between(0, mostMs) }));
    }
    case 'max-on':
      return each(onOff, () => ({ maxOnMs: chance.pick(chance.between(50, 1_000), chance.between(300, 6_000)) }));
    case 'interval':
      return each(any, () => ({ minSwitchIntervalMs: chance.between(200, 5_000) }));
    case 'extend':
      return each(chance.pick([2], [3], [2, 3]), () => ({ retrigger: 'extend' }));
    case 'link-loss':
      return each(onOff, () => ({ onLinkLoss: 'off', linkLossMs: chance.between(LOSS_MIN_MS, 8_000) }));
    case 'agent-loss':
      return each(onOff, () => ({ onAgentLoss: 'off', agentLossMs: chance.between(LOSS_MIN_MS, 8_000) }));
    case 'feedback':
      return each(any, (numOutput) => ({
        // A board's inputs have numbers of their own.
        feedbackInput: 10 + numOutput,
        feedbackActiveLevel: chance.pick('high', 'low'),
        feedbackMs: chance.pick(chance.between(20, 200), chance.between(100, 1_500)),
      }));
    default:
      return kind satisfies never;
  }
}
