import type { Clock } from '@relaygate/shared';

/** Whoever came this recently keeps the place, so that many who come at once do not push each other out. */
const STAY_MS = 1_000;

export interface StrangersParts<Who> {
  clock: Clock;
  /** Of one address at once. */
  perAddress: number;
  /** False while work is done for them. */
  mayGo(who: Who): boolean;
  sendAway(who: Who): void;
}

/**
 * Those who have not said yet who they are, by the address that they come from: bounded for each (I15). Where it is
 * full the oldest give way, and of those of all addresses the oldest of the address that holds most.
 */
export class Strangers<Who> {
  readonly #parts: StrangersParts<Who>;
  /** Since when they are here; the oldest first. */
  readonly #byAddress = new Map<string, Map<Who, number>>();
  readonly #addresses = new Map<Who, string>();

  constructor(parts: StrangersParts<Who>) {
    this.#parts = parts;
  }

  get size(): number {
    return this.#addresses.size;
  }

  /** False: there is no room for it, now. */
  enter(who: Who, address: string): boolean {
    const nowMs = this.#parts.clock.nowMs();
    const ofSame = this.#byAddress.get(address) ?? new Map<Who, number>();
    if (ofSame.size >= this.#parts.perAddress && !this.#sendAwayOneOf(ofSame, nowMs - STAY_MS)) return false;
    ofSame.set(who, nowMs);
    this.#byAddress.set(address, ofSame);
    this.#addresses.set(who, address);
    return true;
  }

  /** Known now, or gone; false for one that is not among them. */
  leave(who: Who): boolean {
    const address = this.#addresses.get(who);
    if (address === undefined) return false;
    this.#addresses.delete(who);
    const ofSame = this.#byAddress.get(address);
    ofSame?.delete(who);
    if (ofSame?.size === 0) this.#byAddress.delete(address);
    return true;
  }

  /** The oldest of the address that holds most goes; false when there is none that may. */
  sendOneAway(): boolean {
    let most: Map<Who, number> | undefined;
    for (const ofSame of this.#byAddress.values()) if (ofSame.size > (most?.size ?? 0)) most = ofSame;
    return most !== undefined && this.#sendAwayOneOf(most, Number.POSITIVE_INFINITY);
  }

  all(): Who[] {
    return [...this.#addresses.keys()];
  }

  #sendAwayOneOf(ofSame: ReadonlyMap<Who, number>, cameBeforeMs: number): boolean {
    for (const [who, cameMs] of ofSame) {
      if (cameMs > cameBeforeMs) return false;
      if (!this.#parts.mayGo(who)) continue;
      this.leave(who);
      this.#parts.sendAway(who);
      return true;
    }
    return false;
  }
}
