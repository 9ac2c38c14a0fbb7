import type { PolicyOff } from '../../guard/requests';

/** Short reasons of this device's own that stand within sentences; phrases-french.ts has each in French. */
export const PHRASES = {
  // Why the guard is away.
  guardNotTried: 'not tried yet',
  noAnswer: 'it does not answer',
  hungUp: 'it has closed the connection',
  notRunning: 'it does not run',
  socketNotOurs: 'its socket is not for this user',
  // Of a port or a board.
  unplugged: 'it was unplugged',
  notThere: 'it is not there',
  notItsGroup: 'it is not for this user: its program has to run in the group dialout',
  chipGone: 'its GPIO chip is gone',
  boardClosed: 'the board is closed',
  boardSilent: 'the board does not answer',
  notOpenYet: 'it is not open yet',
  taken: 'another program has it open',
  portNotOpen: 'the port is not open',
  portClosed: 'it is closed',
  portOpening: 'opening it takes too long',
  portHangs: 'the port takes no bytes',
  notUnderstood: 'the answer of the board was not understood',
  // Of a file.
  diskSilent: 'the disk does not answer',
  journal: 'the journal',
} as const;

/** Why an output went off by itself, for logs. */
export const POLICY_WORDS: Record<PolicyOff, string> = {
  'max-on': 'its maxOnMs is over',
  'link-loss': 'there was no link for linkLossMs',
  'agent-loss': 'the agent was not heard for agentLossMs',
  interlock: 'another output of its interlock is to go on',
};
