/**
 * Which nodes use the database, and whose each product is. A node is named by its instance, an id of its present start, because a
 * later start of the same name must not pass for it. A lease ends on the database's clock alone, whatever the clocks of the nodes
 * say. Each write is one transaction. `atMs`: wall time.
 */
export interface NodeStore {
  /**
   * Ends what dead nodes have left (`endDeadNodes`), then gives this node a lease, unless a node of this name has one, or one of other
   * secrets.
   */
  joinNodes(node: JoiningNode, leaseMs: number, atMs: number): Promise<'joined' | 'name-taken' | 'other-secrets'>;
  /** The names of the nodes that have a lease, sorted. */
  livingNodes(): Promise<string[]>;
  /** Lets the lease last `leaseMs` from now on. False if it is over: a later lease would hide that others took over meanwhile. */
  renewLease(instance: string, leaseMs: number): Promise<boolean>;
  /** Ends the node's lease and what it has left, as `endDeadNodes` does; but links that it still has end now. */
  leaveNodes(instance: string, atMs: number): Promise<void>;
  /** True if the lease of some node is over and nobody has ended what it has left. */
  hasDeadNodes(): Promise<boolean>;
  /** Stores that no link of a node without a lease is up, and that its pending commands are `unknown`. */
  endDeadNodes(atMs: number): Promise<void>;

  /** Hot only for products without a link here. Undefined if the product is unknown. `asker`: the instance of the node that asks. */
  productOwner(productLogin: string, asker: string): Promise<ProductOwner | undefined>;
  /** Makes the product this node's, unless its owner lives. Links of the owner before are superseded. */
  claimProduct(productLogin: string, instance: string): Promise<void>;
  /** Links of products that others than `cursor` knows of have changed since; of a product, only the last one. */
  linksSince(cursor: ReadonlyMap<number, number>): Promise<OpenedLinks>;
}

export interface JoiningNode {
  name: string;
  instance: string;
  /** As `secretsMark` has it. */
  secrets: string;
}

export interface ProductOwner {
  /** Null: the product has none, or its lease is over. */
  nodeName: string | null;
  /** The epoch of its last link. */
  epoch: number;
  /** A link is open, as far as the database knows. */
  isConnected: boolean;
  /** The owner lives and a link is open; or a link was closed less than RECENTLY_LINKED_MS ago. */
  isWorthWaiting: boolean;
  /** A command that another node than the asker has recorded may still be at work (I6). */
  isSlotTaken: boolean;
}

export interface OpenedLinks {
  links: OwnedLink[];
  /** For the next question. */
  cursor: ReadonlyMap<number, number>;
}

export interface OwnedLink {
  productLogin: string;
  /** The last that was drawn. */
  epoch: number;
  /** The instance of the owner. */
  node: string | null;
  /** False: the owner has claimed the product without a link. */
  isConnected: boolean;
}
