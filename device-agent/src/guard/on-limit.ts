/** How long an on-off output may stay on: whatever the agent and the commands do, the guard ends it. */
import type { WholeOutput } from '@relaygate/shared';
import { type Output, type OutputEvent, stateOf } from './output-phase';
import type { Presence } from './presence';

export type OnLimitRules = Pick<
  WholeOutput,
  'mode' | 'maxOnMs' | 'onLinkLoss' | 'linkLossMs' | 'onAgentLoss' | 'agentLossMs'
>;

/** The moment since which the output is on, on the guard's clock; null: it is not, or nobody knows. */
export function onSinceMs(sinceMs: number | null, output: Output, event: OutputEvent, nowMs: number): number | null {
  if (stateOf(output) !== 1) return null;
  return sinceMs ?? (event.kind === 'driven' ? event.atMs : nowMs);
}

/**
 * When an output that is on since then goes off, on the guard's clock; Infinity: not by itself. One that goes on during
 * a loss has the whole time of that loss.
 */
export function offAtMs(rules: OnLimitRules, sinceMs: number, { agentMs, linkMs }: Presence): number {
  const { mode, maxOnMs, onLinkLoss, linkLossMs, onAgentLoss, agentLossMs } = rules;
  const never = Number.POSITIVE_INFINITY;
  if (mode !== 'on-off') return never;
  return Math.min(
    maxOnMs > 0 ? sinceMs + maxOnMs : never,
    onAgentLoss === 'off' ? Math.max(sinceMs, agentMs) + agentLossMs : never,
    onLinkLoss === 'off' ? Math.max(sinceMs, linkMs) + linkLossMs : never,
  );
}
