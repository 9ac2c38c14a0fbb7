import { type Clock, MAX_UNAUTHENTICATED_LINKS, MAX_UNAUTHENTICATED_LINKS_PER_ADDRESS } from '@relaygate/shared';
import { AddressLimitedSet } from '../limits/address-limited-set';

export interface UnauthenticatedLink {
  /** Ends the link to make room; its device links again by itself. */
  evict(): void;
}

/**
 * The links whose device has not proven itself yet, bounded in all and per address (I15). If there are too many, the oldest
 * link of the address with the most links is closed, so that a few addresses cannot keep devices out.
 */
export class UnauthenticatedLinks<Link extends UnauthenticatedLink> {
  readonly #links: AddressLimitedSet<Link>;

  constructor(clock: Clock) {
    this.#links = new AddressLimitedSet({
      clock,
      maxPerAddress: MAX_UNAUTHENTICATED_LINKS_PER_ADDRESS,
      mayEvict: () => true,
      evict: (link) => link.evict(),
    });
  }

  /** False if its address has opened the maximum within a second. */
  add(link: Link, address: string): boolean {
    if (!this.#links.add(link, address)) return false;
    if (this.#links.size > MAX_UNAUTHENTICATED_LINKS) this.#links.evictOne();
    return true;
  }

  /** Removes a link that is authenticated or closed. False if it is not in the set. */
  delete(link: Link): boolean {
    return this.#links.delete(link);
  }

  all(): Link[] {
    return this.#links.all();
  }
}
