/** This node among those of its database. */
export interface NodeMembership {
  /** Of its present lease. Undefined: no other node may use the database. */
  readonly instance: string | undefined;
  /**
   * Until when certainly no other node has taken over a product of this one because its lease is over, on the monotonic clock. In
   * the past: the node has lost its lease.
   */
  readonly safeUntilMs: number;
}

/** The only node of a database needs no lease. */
export const SOLE_NODE: NodeMembership = { instance: undefined, safeUntilMs: Number.POSITIVE_INFINITY };

/** What a write needs to know of its node, as members of its arguments: none for the only node. */
export function writtenBy({ instance }: Pick<NodeMembership, 'instance'>): { node?: string } {
  return instance === undefined ? {} : { node: instance };
}
