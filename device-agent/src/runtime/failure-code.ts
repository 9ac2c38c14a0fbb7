/** Short reasons of this device's own, which stand within the sentences of faults, refusals and findings. */
export type FailureCode =
  // Of a port or a board.
  | 'unplugged'
  | 'not-there'
  | 'not-in-dialout'
  | 'chip-gone'
  | 'board-closed'
  | 'board-silent'
  | 'reads-high'
  | 'reads-low'
  | 'not-open-yet'
  | 'port-taken'
  | 'port-not-open'
  | 'port-closed'
  | 'port-opening'
  | 'port-hangs'
  | 'not-understood'
  // Of a disk.
  | 'disk-silent';

/** Why the guard is away, which only the agent says. */
export type GuardAwayCode = 'not-tried' | 'no-answer' | 'hung-up' | 'not-running' | 'socket-not-ours';
