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
import { drawKeys } from './keys';
import { drawLines, withReads } from './lines';
import { drawLocks } from './locks';
import { drawLostAnswers } from './lost-answers';
import { drawNearMisses } from './near-misses';
import { drawPins } from './pins';
import { drawBroadPlan, type Plan, type PlannedProduct, type PlannedStep, type Scope } from './plan';
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

/** Draws from the sequence of its name alone, so that a new part leaves what the others draw as it was. */
interface Part {
  readonly name: string;
  draw(chance: SeededChance, scope: Scope): PlannedStep[];
}

/** What sets products up before anything is drawn for them; it draws from the sequence of its name. */
const SET_UPS: readonly {
  readonly name: string;
  change(chance: SeededChance, products: readonly PlannedProduct[]): PlannedProduct[];
}[] = [
  { name: 'proofs', change: withProofs },
  { name: 'policies', change: withPolicies },
  { name: 'reads', change: withReads },
  { name: 'consoles', change: withConsoles },
  { name: 'resets', change: withResets },
];

/** In this order: of steps at the same moment the earlier part's come first. */
const PARTS: readonly Part[] = [
  { name: 'policies', draw: drawScenes },
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
  { name: 'proofs', draw: drawProofs },
  { name: 'near misses', draw: drawNearMisses },
  { name: 'stuck inputs', draw: drawStuckInputs },
  { name: 'late offs', draw: drawLateOffs },
  { name: 'superseded', draw: drawSuperseded },
  { name: 'lines', draw: drawLines },
  { name: 'consoles', draw: drawConsoles },
  { name: 'dropped pulses', draw: drawDroppedPulses },
  { name: 'storms', draw: drawStorms },
  { name: 'resets', draw: drawResets },
  { name: 'keys', draw: drawKeys },
];

/** Everything that a seed decides. */
export function drawPlan(seed: number): Plan {
  const broad = drawBroadPlan(seed);
  const { untilMs } = broad;
  const chanceOf = sequencesOf(seed);
  const isDrawn = (name: string): boolean => !leftOutOf(seed).includes(name);
  const products = SET_UPS.reduce((before, { name, change }) => change(chanceOf(name), before), [...broad.products]);
  const scope: Scope = { broad, products, untilMs };
  const parts = PARTS.filter(({ name }) => isDrawn(name)).flatMap(({ name, draw }) => draw(chanceOf(name), scope));
  const drawn = [...broad.steps, ...parts];
  const twice = isDrawn('twice')
    ? [...drawSecondResets(chanceOf('second resets'), drawn), ...drawSecondPins(chanceOf('second PINs'), drawn)]
    : [];
  const proven = withUsedProofs(chanceOf('used proofs'), scope, [...drawn, ...twice]);
  const withMeaning = isDrawn('inputs') ? withInputs(chanceOf('inputs'), products, proven) : products;
  const moved = drawInputs(chanceOf('inputs'), { ...scope, products: withMeaning });
  const crowded = isDrawn('presses') ? withCrowds(chanceOf('presses'), withMeaning) : withMeaning;
  const pressed = isDrawn('presses') ? drawPresses(chanceOf('presses'), { ...scope, products: crowded }) : [];
  const steps = [...proven, ...moved, ...pressed].toSorted((one, other) => one.atMs - other.atMs);
  return { ...broad, products: crowded, steps };
}

/** One sequence a name, which goes on where it was left. */
function sequencesOf(seed: number): (name: string) => SeededChance {
  const sequences = new Map<string, SeededChance>();
  return (name) => {
    const known = sequences.get(name) ?? new SeededChance(seed).fork(name);
    sequences.set(name, known);
    return known;
  };
}
