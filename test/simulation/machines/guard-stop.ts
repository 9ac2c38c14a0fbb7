import type { Trouble } from '../witnesses/history';
import type { Incarnation } from './incarnation';
import type { Surroundings } from './surroundings';

/** A guard whose agent has gone ends within that time, if it was to end; so does the one behind it. */
const GUARD_ENDS_WITHIN_MS = 1_000;

/**
 * From here on the guard may switch everything off, as when it is told to stop: at the latest soon after this agent has gone. The result
 * ends that before.
 */
export function mayStop({ scheduler, history }: Surroundings, guard: string, agent: Incarnation | null): () => void {
  const trouble: Trouble = {
    ...{ name: guard, kind: 'stop' },
    ...{ fromMs: scheduler.nowMs, untilMs: Number.POSITIVE_INFINITY },
  };
  history.troubles.push(trouble);
  const endSoon = (): void =>
    void scheduler.in(GUARD_ENDS_WITHIN_MS, () => {
      trouble.untilMs = Math.min(trouble.untilMs, scheduler.nowMs);
    });
  agent?.onDeath(endSoon);
  return endSoon;
}
