/** What the guard knows of the agent, and through it of the server's link; the agent says so every PRESENCE_MS. */
import { PRESENCE_MS } from '@relaygate/shared';

export interface Presence {
  /** When the agent was heard last, and when its link was last known to be up; on the guard's clock. */
  agentMs: number;
  linkMs: number;
  linkIsUp: boolean;
}

/** A guard that starts knows of nobody, and gives them their time from now. */
export function noPresence(nowMs: number): Presence {
  return { agentMs: nowMs, linkMs: nowMs, linkIsUp: false };
}

/** The agent reports. That its link has gone it says at once, unless it was away: then nobody knows since when. */
export function heard(before: Presence, linkIsUp: boolean, nowMs: number): Presence {
  if (linkIsUp) return { agentMs: nowMs, linkMs: nowMs, linkIsUp };
  const wasThere = nowMs - before.agentMs <= 2 * PRESENCE_MS;
  const lostMs = wasThere ? nowMs : before.agentMs;
  return { agentMs: nowMs, linkMs: before.linkIsUp ? lostMs : before.linkMs, linkIsUp };
}
