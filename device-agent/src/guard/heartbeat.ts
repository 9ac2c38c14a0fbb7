/** What the guard knows of the agent, and through it of the link to the server: the agent sends a heartbeat every AGENT_HEARTBEAT_MS. */
import { AGENT_HEARTBEAT_MS } from '@relaygate/shared/device-limits';

/** After this the agent was not merely a little late. */
const SILENCE_MS = AGENT_HEARTBEAT_MS + 500;

export interface Heartbeat {
  /** When the agent gave its last sign of life, and when its link was last known to be up; on the guard's clock. */
  agentMs: number;
  linkMs: number;
  linkIsUp: boolean;
}

/** A guard that starts knows of neither agent nor link, and their time begins now. */
export function noHeartbeat(nowMs: number): Heartbeat {
  return { agentMs: nowMs, linkMs: nowMs, linkIsUp: false };
}

/**
 * The agent reports. It says at once when its link has gone, so the link was up until now, unless the agent was silent in
 * between.
 */
export function afterHeartbeat(before: Heartbeat, linkIsUp: boolean, nowMs: number): Heartbeat {
  const wasUp = before.linkIsUp && nowMs - before.agentMs <= SILENCE_MS;
  return { agentMs: nowMs, linkMs: linkIsUp || wasUp ? nowMs : before.linkMs, linkIsUp };
}

/** The agent has ended. What the next agent reports says nothing of the time in between. */
export function afterAgentEnd(before: Heartbeat): Heartbeat {
  return { ...before, linkIsUp: false };
}
