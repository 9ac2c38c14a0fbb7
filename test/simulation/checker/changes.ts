import type { Facts } from './facts';
import type { Violation } from './violation';

/** `changes`: whoever listens inside the server gets each revision once, soon, and in the end how everything is. */
export function checkChanges({ history }: Facts): Violation[] {
  return history.changeFaults.map(({ atMs, text }) => ({ invariant: 'changes', atMs, sentence: text }));
}

export async function checkLastChanges({ world, endMs }: Facts): Promise<Violation[]> {
  const sentence = await world.listener.difference();
  return sentence === undefined ? [] : [{ invariant: 'changes', atMs: endMs, sentence }];
}
