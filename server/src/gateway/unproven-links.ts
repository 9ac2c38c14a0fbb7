import { MAX_UNPROVEN_LINKS, MAX_UNPROVEN_LINKS_PER_ADDRESS } from '@relaygate/shared';
import type { LinkSession } from './link-session';

/** The links whose device has not proven itself yet: bounded in all and per address (I15). */
export class UnprovenLinks {
  readonly #addresses = new Map<LinkSession, string>();
  readonly #counts = new Map<string, number>();

  hasRoomFor(address: string): boolean {
    return this.#addresses.size < MAX_UNPROVEN_LINKS && this.#count(address) < MAX_UNPROVEN_LINKS_PER_ADDRESS;
  }

  add(session: LinkSession, address: string): void {
    this.#addresses.set(session, address);
    this.#counts.set(address, this.#count(address) + 1);
  }

  /** Proven, or gone. Harmless for one that is not among them. */
  delete(session: LinkSession): void {
    const address = this.#addresses.get(session);
    if (address === undefined) return;
    this.#addresses.delete(session);
    const left = this.#count(address) - 1;
    if (left > 0) this.#counts.set(address, left);
    else this.#counts.delete(address);
  }

  sessions(): LinkSession[] {
    return [...this.#addresses.keys()];
  }

  #count(address: string): number {
    return this.#counts.get(address) ?? 0;
  }
}
