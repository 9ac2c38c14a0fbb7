import type { History } from '../history';
import type { Plan } from '../plan';
import type { World } from '../world';
import type { Violation } from './violation';

export interface Evidence {
  plan: Plan;
  world: World;
  history: History;
  isLively: boolean;
}

export async function check({ history, isLively, world }: Evidence): Promise<Violation[]> {
  const found: Violation[] = history.uncaught.map(({ atMs, text }) => ({
    invariant: 'uncaught',
    sentence: text,
    atMs,
  }));
  if (!isLively) found.push({ invariant: 'liveness', sentence: 'no command succeeds', atMs: world.scheduler.nowMs });
  return found;
}
