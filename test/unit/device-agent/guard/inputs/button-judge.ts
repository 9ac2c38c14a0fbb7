/** What a button may have moved, from its wire alone. */
import { strict as assert } from 'node:assert';
import type { ButtonWorld } from './button-world';

const DEBOUNCE_MS = 30;
/** What is handled within 500 ms begins within this. */
const TOO_OLD_MS = 1_000;
/** Two presses that both count are so far apart. */
const APART_MS = 250;
/** From the end of the bouncing to the edge, on a guard that is not held up. */
const SOON_MS = 5;

interface Press {
  fromMs: number;
  toMs: number;
  /** How long the wire was quietly released before, seen by this guard and on this board. */
  restedMs: number;
}

/** Each move of the relay has a press of its own, and each press that nothing stood against has moved it. */
export function judgeButton(world: ButtonWorld): void {
  const moves = switched(world);
  const presses = pressesOf(world).filter((press) => mayCount(world, press));
  for (const atMs of moves) {
    const own = presses.filter(({ fromMs }) => fromMs + DEBOUNCE_MS <= atMs);
    const press = own.at(-1);
    assert(press, `I14: moved at ${atMs}, and nobody has pressed`);
    assert(atMs - press.fromMs <= TOO_OLD_MS + SOON_MS, `I2: moved at ${atMs}, pressed at ${press.fromMs}`);
    const other = moves.find((one) => one !== atMs && one >= press.fromMs + DEBOUNCE_MS && one < atMs);
    assert(other === undefined, `I1: one press moves twice, at ${other} and ${atMs}`);
  }
  for (const [n, { fromMs, toMs, restedMs }] of presses.entries()) {
    const before = presses[n - 1];
    const isApart = before === undefined || fromMs - before.fromMs > APART_MS + DEBOUNCE_MS;
    const isWatched = world.watches.some((watch) => watch.fromMs < fromMs && watch.toMs > fromMs + 100);
    if (
      isHammered(world, fromMs) ||
      !isCalm(world, fromMs) ||
      !isApart ||
      !isWatched ||
      restedMs < 2 * DEBOUNCE_MS ||
      toMs - fromMs < 2 * DEBOUNCE_MS
    )
      continue;
    const dueMs = fromMs + DEBOUNCE_MS;
    assert(
      moves.some((atMs) => atMs >= dueMs && atMs <= dueMs + SOON_MS),
      `I6: pressed at ${fromMs}, and nothing moves`,
    );
  }
}

/** What bounces counts only on a guard that was held up: it may take it for quiet. */
function mayCount(world: ButtonWorld, { fromMs, toMs, restedMs }: Press): boolean {
  const leastMs = isCalm(world, fromMs) ? DEBOUNCE_MS : 1;
  return restedMs >= leastMs && toMs - fromMs >= leastMs;
}

/** So many changes within 10 s may be a wire that flaps, or use up the presses that count. */
function isHammered({ wire }: ButtonWorld, beforeMs: number): boolean {
  return wire.filter(({ atMs }) => atMs <= beforeMs && atMs > beforeMs - 10_000).length > 15;
}

/** The guard was not held up around then. */
function isCalm({ stalls }: ButtonWorld, atMs: number): boolean {
  return !stalls.some(({ fromMs, toMs }) => fromMs <= atMs + 500 && toMs >= atMs - 1_000);
}

/** Times of the edges that a button has ordered: others come with a guard's end and start. */
function switched({ board, watches }: ButtonWorld): number[] {
  return board.edges
    .map(({ atMs }) => atMs)
    .filter((atMs) => watches.some(({ fromMs, toMs }) => fromMs < atMs && atMs < toMs));
}

function pressesOf({ wire, watches }: ButtonWorld): Press[] {
  return wire.flatMap(({ level, atMs }, n) => {
    if (level !== 'low') return [];
    const watch = watches.find(({ fromMs, toMs }) => fromMs <= atMs && atMs < toMs);
    if (!watch) return [];
    const toMs = wire[n + 1]?.atMs ?? Number.POSITIVE_INFINITY;
    return [{ fromMs: atMs, toMs, restedMs: restBefore(wire, n, watch.fromMs) }];
  });
}

/** The longest time that it was released since the press before that lasted, or since the guard looks. */
function restBefore(wire: ButtonWorld['wire'], press: number, fromMs: number): number {
  let longest = 0;
  for (let n = press - 1; n >= 0; n -= 1) {
    const begin = Math.max(wire[n]?.atMs ?? 0, fromMs);
    const end = wire[n + 1]?.atMs ?? 0;
    if (wire[n]?.level === 'low' && end - begin >= DEBOUNCE_MS) return longest;
    if (wire[n]?.level === 'high') longest = Math.max(longest, end - begin);
    if (begin === fromMs) return longest;
  }
  return longest;
}
