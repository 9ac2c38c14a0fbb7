import { GuardWorld, type OpenGuard } from './guard-model';
import type { GuardMove } from './guard-moves';

/** Of a mutant: each is caught in far fewer, and so many end well before jest's time-out. */
export const MAX_GUARD_GAMES = 2_000;

/** One game, to its end. Rejects with the first violation. */
export const play =
  (open: OpenGuard) =>
  async (moves: readonly GuardMove[]): Promise<void> => {
    const world = new GuardWorld(open);
    for (const move of moves) await world.make(move);
    await world.end();
  };

/** Does `work` with a part of the guard that does one thing otherwise. */
export async function withPart<T>(
  part: object,
  name: string,
  other: PropertyDescriptor,
  work: () => Promise<T>,
): Promise<T> {
  const own = Object.getOwnPropertyDescriptor(part, name);
  if (!own) throw new Error(`there is no ${name}`);
  Object.defineProperty(part, name, { ...own, ...other });
  try {
    return await work();
  } finally {
    Object.defineProperty(part, name, own);
  }
}
