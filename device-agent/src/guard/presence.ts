/** What the guard knows of the agent, and through it of the server's link; the agent says so every PRESENCE_MS. */
import { PRESENCE_MS } from '@relaygate/shared';

/** After this the agent was not merely a little late. */
const SILENCE_MS = PRESENCE_MS + 500;

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

/**
 * The agent reports. That its link has gone it says at once, so until now it was up; of the time in which it was silent
 * nobody knows that.
 */
export function heard(before: Presence, linkIsUp: boolean, nowMs: number): Presence {
  const wasUp = before.linkIsUp && nowMs - before.agentMs <= SILENCE_MS;
  return { agentMs: nowMs, linkMs: linkIsUp || wasUp ? nowMs : before.linkMs, linkIsUp };
}

/** Whoever reported has ended: what the next one finds says nothing of the time before it. */
export function ended(before: Presence): Presence {
  return { ...before, linkIsUp: false };
}
