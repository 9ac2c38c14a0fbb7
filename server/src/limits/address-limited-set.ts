import type { Clock } from '@relaygate/shared';

/** A full address evicts no younger item, so that items that come at once do not evict each other. */
const MIN_AGE_MS = 1_000;

export interface AddressLimitedSetOptions<Item> {
  clock: Clock;
  maxPerAddress: number;
  /** Of all addresses: one item more evicts another (`evictOne`). Undefined: no limit. */
  max?: number;
  /** False while the item is in use. */
  mayEvict(item: Item): boolean;
  /** Ends an item that has left the set. */
  evict(item: Item): void;
}

/**
 * Items by the network address that they come from, at most `maxPerAddress` of each (I15). An address with more evicts its
 * oldest item; `evictOne` evicts the oldest item of the address with the most items.
 */
export class AddressLimitedSet<Item> {
  readonly #options: AddressLimitedSetOptions<Item>;
  /** The time at which each item was added, the oldest item first. */
  readonly #byAddress = new Map<string, Map<Item, number>>();
  readonly #addresses = new Map<Item, string>();

  constructor(options: AddressLimitedSetOptions<Item>) {
    this.#options = options;
  }

  get size(): number {
    return this.#addresses.size;
  }

  /** False if the address is full and none of its items may be evicted now. */
  add(item: Item, address: string): boolean {
    const { clock, maxPerAddress, max = Number.POSITIVE_INFINITY } = this.#options;
    const nowMs = clock.nowMs();
    const ofSame = this.#byAddress.get(address) ?? new Map<Item, number>();
    if (ofSame.size >= maxPerAddress && !this.#evictOneOf(ofSame, nowMs - MIN_AGE_MS)) return false;
    ofSame.set(item, nowMs);
    this.#byAddress.set(address, ofSame);
    this.#addresses.set(item, address);
    if (this.size > max) this.evictOne();
    return true;
  }

  /** False if the item is not in the set. */
  delete(item: Item): boolean {
    const address = this.#addresses.get(item);
    if (address === undefined) return false;
    this.#addresses.delete(item);
    const ofSame = this.#byAddress.get(address);
    ofSame?.delete(item);
    if (ofSame?.size === 0) this.#byAddress.delete(address);
    return true;
  }

  /** Evicts the oldest item of the address with the most items. False if none of them may be evicted. */
  evictOne(): boolean {
    let largest: Map<Item, number> | undefined;
    for (const ofSame of this.#byAddress.values()) if (ofSame.size > (largest?.size ?? 0)) largest = ofSame;
    return largest !== undefined && this.#evictOneOf(largest, Number.POSITIVE_INFINITY);
  }

  all(): Item[] {
    return [...this.#addresses.keys()];
  }

  #evictOneOf(ofSame: ReadonlyMap<Item, number>, addedBeforeMs: number): boolean {
    for (const [item, addedMs] of ofSame) {
      if (addedMs > addedBeforeMs) return false;
      if (!this.#options.mayEvict(item)) continue;
      this.delete(item);
      this.#options.evict(item);
      return true;
    }
    return false;
  }
}
