import type { Command } from '@relaygate/shared';

/** Which node holds a product's link. Promises, because that may be another node. */
export interface DevicePresence {
  /**
   * The node that takes the product's commands, whether a link is up or not: one node, or each would give the product a command
   * slot of its own (I6). Null: this node, which is the only one. Rejects if nobody can be named. `known`: as the caller has just read it.
   */
  linkOf(productLogin: string, known?: LinkPresence): Promise<LinkPresence | null>;
  /** Null: no link of the product is up on any node. */
  statusOf(productLogin: string): Promise<LinkStatus | null>;
  /** The same for a list, of what the database said a moment ago, so that not each of its products is read again. */
  statusBy(productLogin: string, recorded: RecordedLink): LinkStatus | null;
}

export interface RecordedLink {
  /** A link is open, as far as the database knows. */
  isConnected: boolean;
  /** The node that holds it. Null: none, or its lease is over. */
  nodeName: string | null;
}

export interface LinkPresence {
  nodeName: string;
  /** Of its last link, perhaps one that has ended. */
  epoch: number;
  /** A link is up, or was a moment ago, so that its device may come to another node if this one has gone. */
  isWorthWaiting: boolean;
}

export interface LinkStatus {
  /** How long ago its last frame arrived; undefined if only another node knows. A duration, because the clocks of two nodes differ. */
  silentMs: number | undefined;
}

/** The links that this process holds. */
export interface LocalLinks {
  stateOf(productLogin: string): LinkAvailability;
  /** False if certainly no byte was sent. True: the command may arrive. */
  send(productLogin: string, command: Omit<Command, 'type' | 'epoch'>): boolean;
}

/** Whether a command can be sent now. */
export type LinkAvailability =
  /** After time exchange and resume report. */
  | { kind: 'up'; bootId: string }
  /** Lost less than RECENTLY_LINKED_MS ago, or the server has just started: worth waiting for. */
  | { kind: 'recently-lost' }
  | { kind: 'down' };
