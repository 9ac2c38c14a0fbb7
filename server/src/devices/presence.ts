import type { Command } from '@relaygate/shared';

/** Which node holds a product's link. A promise, because that may be another node. */
export interface DevicePresence {
  /**
   * Null: no link of the product is up on any node. A command may wait for the next link (`recently-lost`), but null does not
   * say on which node the device will link, so the node that was asked takes the command, and knows its own links only.
   * Before there is a second node, the port must name one node that takes a product's commands meanwhile: otherwise each
   * node would give the product a command slot of its own (I6).
   */
  linkOf(productLogin: string): Promise<LinkPresence | null>;
}

export interface LinkPresence {
  nodeName: string;
  epoch: number;
  /** How long ago its last frame arrived. A duration, because the clocks of two nodes differ. */
  silentMs: number;
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
