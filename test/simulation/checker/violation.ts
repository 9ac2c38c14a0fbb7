/** What the checker can name. The catalogues in `sabotage` hold a deliberate fault of each. */
export const RULES = [
  ...(['I1', 'I2', 'I3', 'I4', 'I5', 'I6', 'I7', 'I8', 'I9', 'I10', 'I11', 'I12', 'I13', 'I14', 'I15'] as const),
  /** With nothing broken any more, nothing works. */
  'liveness',
  /** What an orderly stop must leave behind. */
  'stop',
  'settings',
  'locks',
  /** What people did at a device. */
  'history',
  /** Of its wiring. */
  'proof',
  /** Of the technician's page and the serial console. */
  'pin',
  /** A factory reset makes a new device. */
  'reset',
  /** Each write of the server is settled in time, and one that fails costs no other. */
  'writer',
  /** An `Idempotency-Key` stands for at most one execution. */
  'key',
  /** Whoever listens gets each change once, and in the end how everything is. */
  'changes',
  'uncaught',
] as const;
export type Rule = (typeof RULES)[number];

/** One thing that must not be. */
export interface Violation {
  invariant: Rule;
  sentence: string;
  atMs: number;
}
