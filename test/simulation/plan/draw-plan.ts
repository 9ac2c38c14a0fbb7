import { SeededChance } from '../../support/chance/seeded-chance';
import { leftOutOf } from '../failed-seeds';
import { drawBeside } from './beside';
import { drawBoards } from './boards';
import { drawClicks } from './clicks';
import { drawConsoles, withConsoles } from './consoles';
import { drawDeeds } from './deeds';
import { drawDoubts } from './doubts';
import { drawDroppedPulses } from './dropped-pulses';
import { drawInputs, withInputs } from './inputs';
import { drawLines, withReads } from './lines';
import { drawLocks } from './locks';
import { drawLostAnswers } from './lost-answers';
import { drawNearMisses } from './near-misses';
import { drawPins } from './pins';
import { drawBroadPlan, type Plan } from './plan';
import { drawLateOffs } from './policies/late-offs';
import { drawScenes } from './policies/scenes';
import { withPolicies } from './policies/settings';
import { drawPresses, withCrowds } from './presses';
import { drawProofs, withProofs, withUsedProofs } from './proofs';
import { drawReadings } from './readings';
import { drawReboots } from './reboots';
import { drawRelinks, drawSuperseded } from './relinks';
import { drawResets, withResets } from './resets';
import { drawStatuses } from './statuses';
import { drawStops } from './stops';
import { drawStorms } from './storms';
import { drawStuckInputs } from './stuck-inputs';
import { drawTokens } from './tokens';
import { drawSecondPins, drawSecondResets } from './twice';
import { drawModeChanges, drawWishes } from './wishes';
import { drawWriters } from './writers';

/** Each draws from a sequence of its own, so that a new one leaves what the others draw as it was. */
const ADDITIONS = [
  { name: 'doubts', draw: drawDoubts },
  { name: 'readings', draw: drawReadings },
  { name: 'stops', draw: drawStops },
  { name: 'reboots', draw: drawReboots },
  { name: 'wishes', draw: drawWishes },
  { name: 'relinks', draw: drawRelinks },
  { name: 'tokens', draw: drawTokens },
  { name: 'statuses', draw: drawStatuses },
  { name: 'lost answers', draw: drawLostAnswers },
  { name: 'locks', draw: drawLocks },
  { name: 'deeds', draw: drawDeeds },
  { name: 'boards', draw: drawBoards },
  { name: 'clicks', draw: drawClicks },
  { name: 'writers', draw: drawWriters },
  { name: 'beside', draw: drawBeside },
  { name: 'mode changes', draw: drawModeChanges },
  { name: 'pins', draw: drawPins },
];

/** Everything that a seed decides. */
export function drawPlan(seed: number): Plan {
  const broad = drawBroadPlan(seed);
  const { untilMs } = broad;
  const chanceOf = (name: string): SeededChance => new SeededChance(seed).fork(name);
  const policies = chanceOf('policies');
  const proofs = chanceOf('proofs');
  const withoutReads = withProofs(proofs, broad.products).map((product) => ({
    ...product,
    outputs: withPolicies(policies, product.outputs),
  }));
  const consoles = chanceOf('consoles');
  const resets = chanceOf('resets');
  const products = withResets(resets, withConsoles(consoles, withReads(chanceOf('reads'), withoutReads)));
  const scope = { broad, products: products.length, untilMs };
  const added = ADDITIONS.flatMap(({ name, draw }) => draw(chanceOf(name), scope));
  const scenes = drawScenes(policies, products, untilMs);
  const nearMisses = drawNearMisses(chanceOf('near misses'), products, untilMs);
  const stuck = drawStuckInputs(chanceOf('stuck inputs'), products, untilMs);
  const lateOffs = drawLateOffs(chanceOf('late offs'), products, untilMs);
  const superseded = drawSuperseded(chanceOf('superseded'), products, untilMs);
  const lines = drawLines(chanceOf('lines'), products, untilMs);
  const dropped = drawDroppedPulses(chanceOf('dropped pulses'), products, untilMs);
  const storms = leftOutOf(seed).includes('storms') ? [] : drawStorms(chanceOf('storms'), products, untilMs);
  const drawn = [
    ...broad.steps,
    ...scenes,
    ...added,
    ...drawProofs(proofs, products, untilMs),
    ...nearMisses,
    ...stuck,
    ...lateOffs,
    ...superseded,
    ...lines,
    ...drawConsoles(consoles, products, untilMs),
    ...dropped,
    ...storms,
    ...drawResets(resets, products, untilMs),
  ];
  const twice = leftOutOf(seed).includes('twice')
    ? []
    : [...drawSecondResets(chanceOf('second resets'), drawn), ...drawSecondPins(chanceOf('second PINs'), drawn)];
  const proven = withUsedProofs(chanceOf('used proofs'), { products, untilMs }, [...drawn, ...twice]);
  const inputs = chanceOf('inputs');
  const withMeaning = leftOutOf(seed).includes('inputs') ? products : withInputs(inputs, products, proven);
  const presses = chanceOf('presses');
  const isCrowded = !leftOutOf(seed).includes('presses');
  const crowded = isCrowded ? withCrowds(presses, withMeaning) : withMeaning;
  const pressed = isCrowded ? drawPresses(presses, crowded, untilMs) : [];
  const steps = [...proven, ...drawInputs(inputs, withMeaning, untilMs), ...pressed];
  return { ...broad, products: crowded, steps: steps.toSorted((one, other) => one.atMs - other.atMs) };
}
