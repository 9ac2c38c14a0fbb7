/** How long an on-off output may stay on: whatever the agent and the commands do, the guard ends it. */
import type { CompleteOutput } from '@relaygate/shared/device';
import type { Heartbeat } from './heartbeat';
import { isDeferred, isTurningOn, stateOf } from './output-phase';
import type { Output, OutputEvent } from './output-types';
import type { PolicyOff } from './requests';

export type OnLimitRules = Pick<
  CompleteOutput,
  'mode' | 'maxOnMs' | 'onLinkLoss' | 'linkLossMs' | 'onAgentLoss' | 'agentLossMs'
>;

/** When an output goes off by itself, on the guard's clock; Infinity: it does not. */
export interface OnLimit {
  atMs: number;
  why: PolicyOff;
}

/**
 * Since when the output is on, or its policy wants it on, on the guard's clock; null: it is not, or nobody knows. The time
 * counts also while the output waits for its board or its turn: its relay may be closed, and a link that is away stays away
 * (I14).
 */
export function onSinceMs(sinceMs: number | null, output: Output, event: OutputEvent, nowMs: number): number | null {
  const isOrderOut = output.phase === 'switching' && output.isPolicy;
  if (isTurningOn(output) || isOrderOut || isDeferred(output)) return sinceMs ?? nowMs;
  if (stateOf(output) !== 1) return null;
  return sinceMs ?? (event.kind === 'driven' ? event.atMs : nowMs);
}

/** Whether some policy may end it by itself. */
export function isLimited({ mode, maxOnMs, onLinkLoss, onAgentLoss }: OnLimitRules): boolean {
  return mode === 'on-off' && (maxOnMs > 0 || onLinkLoss === 'off' || onAgentLoss === 'off');
}

/** When an output that is on since then goes off. One that goes on during a loss has the whole time of that loss. */
export function offAt(rules: OnLimitRules, sinceMs: number, { agentMs, linkMs }: Heartbeat): OnLimit {
  const { mode, maxOnMs, onLinkLoss, linkLossMs, onAgentLoss, agentLossMs } = rules;
  const limits: OnLimit[] = [{ atMs: Number.POSITIVE_INFINITY, why: 'max-on' }];
  if (mode === 'on-off' && maxOnMs > 0) limits.push({ atMs: sinceMs + maxOnMs, why: 'max-on' });
  if (mode === 'on-off' && onAgentLoss === 'off')
    limits.push({ atMs: Math.max(sinceMs, agentMs) + agentLossMs, why: 'agent-loss' });
  if (mode === 'on-off' && onLinkLoss === 'off')
    limits.push({ atMs: Math.max(sinceMs, linkMs) + linkLossMs, why: 'link-loss' });
  return limits.reduce((first, other) => (other.atMs < first.atMs ? other : first));
}
