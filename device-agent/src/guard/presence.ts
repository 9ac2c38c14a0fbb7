/** What the guard knows of the agent, and through it of the server's link; the agent says so every PRESENCE_MS. */

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

/** The agent reports; that its link has gone it says at once, so until now it was up. */
export function heard(before: Presence, linkIsUp: boolean, nowMs: number): Presence {
  const linkMs = linkIsUp || before.linkIsUp ? nowMs : before.linkMs;
  return { agentMs: nowMs, linkMs, linkIsUp };
}
