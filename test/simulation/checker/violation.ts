/** One thing that must not be. */
export interface Violation {
  /**
   * `I1` ... `I15`, `liveness`, `stop` (what an orderly stop must leave behind), `settings`, `locks`, `history` (what
   * people did at a device), `proof` (of its wiring), or `uncaught`.
   */
  invariant: string;
  sentence: string;
  atMs: number;
}
