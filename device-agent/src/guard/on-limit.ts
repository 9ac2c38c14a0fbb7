/** How long an on-off output may stay on: whatever the agent and the commands do, the guard ends it. */
import type { WholeOutput } from '@relaygate/shared';
import { type Output, type OutputEvent, stateOf } from './output-phase';

export type OnLimitRules = Pick<WholeOutput, 'mode' | 'maxOnMs'>;

/** The moment since which the output is on, on the guard's clock; null: it is not, or nobody knows. */
export function onSinceMs(sinceMs: number | null, output: Output, event: OutputEvent, nowMs: number): number | null {
  if (stateOf(output) !== 1) return null;
  return sinceMs ?? (event.kind === 'driven' ? event.atMs : nowMs);
}

/** When an output that is on since then goes off, on the guard's clock; Infinity: not by itself. */
export function offAtMs({ mode, maxOnMs }: OnLimitRules, sinceMs: number): number {
  return mode === 'on-off' && maxOnMs > 0 ? sinceMs + maxOnMs : Number.POSITIVE_INFINITY;
}
