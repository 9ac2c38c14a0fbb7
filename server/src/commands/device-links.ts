import type { Command } from '@relaygate/shared';

/** The device links that this process holds, as the dispatcher sees them. */
export interface DeviceLinks {
  presence(productLogin: string): LinkPresence;
  /** False: certainly no byte has left. True: the command may arrive. */
  send(productLogin: string, command: Omit<Command, 'type' | 'epoch'>): boolean;
}

export type LinkPresence =
  /** After time exchange and resume report. `lastFrameAtMs`: when its last frame arrived, monotonic. */
  | { kind: 'up'; bootId: string; lastFrameAtMs: number }
  /** Lost less than RECENTLY_LINKED_MS ago, or the server has just started: worth waiting for. */
  | { kind: 'recently-lost' }
  | { kind: 'down' };
