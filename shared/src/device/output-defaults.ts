/** What counts where settings do not name it (output-settings.ts has the rows). */
export const OUTPUT_DEFAULTS = {
  retrigger: 'ignore',
  maxOnMs: 0,
  minSwitchIntervalMs: 0,
  interlock: null,
  interlockDelayMs: 500,
  onLinkLoss: 'hold',
  linkLossMs: 60_000,
  onAgentLoss: 'hold',
  agentLossMs: 10_000,
  feedbackInput: null,
  feedbackActiveLevel: 'high',
  feedbackMs: 1_000,
} as const;
