/** One thing that must not be. */
export interface Violation {
  /** `I1` ... `I15`, `liveness`, or `uncaught`. */
  invariant: string;
  sentence: string;
  atMs: number;
}
