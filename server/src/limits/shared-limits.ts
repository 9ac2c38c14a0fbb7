/** What nodes tell each other of: commands of clients, of clients to products, failed attempts, and the kinds of writes. */
export const LIMIT_KINDS = [
  'clients',
  'products',
  'failures',
  'logins',
  'associations',
  'links',
  'reports',
  'history',
] as const;
export type LimitKind = (typeof LIMIT_KINDS)[number];

/** The whole amount that was taken for a key. Negative: more was given back. */
export interface Taken {
  key: string;
  amount: number;
}

/** What one node counts by key, with what the other nodes of the installation tell it. */
export interface SharedLimit {
  /**
   * Hands over, once, what was taken here since the call before, of at most `maxKeys` keys; the others wait for the next call. What is
   * taken before the first call is not handed over.
   */
  takeUntold(maxKeys: number): Taken[];
  /** Counts what another node has taken, without telling it on. */
  takenElsewhere(taken: Taken): void;
}

export type SharedLimits = Readonly<Record<LimitKind, SharedLimit>>;
