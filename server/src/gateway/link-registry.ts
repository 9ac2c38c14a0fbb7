import { type Clock, type Command, RECENTLY_LINKED_MS } from '@relaygate/shared';
import type { DeviceLinks, LinkPresence } from '../commands/device-links';
import type { HeldLink } from '../products/product-store';

/** A proven link, as the registry keeps it. */
export interface LinkEntry {
  readonly productLogin: string;
  readonly epoch: number;
  readonly bootId: string;
  readonly publicKey: string;
  /** As the database knows it. */
  readonly stored: HeldLink;
  /** When its connection began, on the server's monotonic clock. */
  readonly begunAtMs: number;
  /** After time exchange and resume report. */
  readonly isUp: boolean;
  readonly heardAtMs: number;
  sendCommand(command: Omit<Command, 'type' | 'epoch'>): boolean;
  /** Its last report has not counted in the database. */
  saveReportAgain(): void;
  /** Ends the link because a newer one has taken over (I12). */
  replace(): void;
  revoke(): void;
  /** For the server's own stop. */
  restart(): void;
}

interface LostLink {
  atMs: number;
  /** Is its device worth waiting for? */
  isAwaited: boolean;
}

/** One link per product; the newest epoch wins (I12). */
export class LinkRegistry implements DeviceLinks {
  readonly #clock: Clock;
  readonly #startedMs: number;
  readonly #links = new Map<string, LinkEntry>();
  /** Products whose link is gone; forgotten some time after RECENTLY_LINKED_MS. */
  readonly #lost = new Map<string, LostLink>();

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#startedMs = clock.nowMs();
  }

  /** False when a newer epoch holds the product already. */
  attach(link: LinkEntry): boolean {
    const current = this.#links.get(link.productLogin);
    if (current && current.epoch > link.epoch) return false;
    this.#links.set(link.productLogin, link);
    if (current) {
      if (current.isUp) this.#note(current.productLogin, true);
      current.replace();
    }
    return true;
  }

  detach(link: LinkEntry): void {
    if (this.#links.get(link.productLogin) !== link) return;
    this.#links.delete(link.productLogin);
    if (link.isUp) this.#note(link.productLogin, true);
  }

  /** Its device was revoked: none is on its way back. */
  awaitNoMore(productLogin: string): void {
    this.#note(productLogin, false);
  }

  current(productLogin: string): LinkEntry | undefined {
    return this.#links.get(productLogin);
  }

  get size(): number {
    return this.#links.size;
  }

  all(): LinkEntry[] {
    return [...this.#links.values()];
  }

  presence(productLogin: string): LinkPresence {
    const link = this.#links.get(productLogin);
    if (link?.isUp) return { kind: 'up', bootId: link.bootId, heardAtMs: link.heardAtMs };
    // After a start every product counts as just lost: its device is on its way back.
    const { atMs, isAwaited } = this.#lost.get(productLogin) ?? { atMs: this.#startedMs, isAwaited: true };
    const isRecent = this.#clock.nowMs() - atMs < RECENTLY_LINKED_MS;
    return isRecent && isAwaited ? { kind: 'recently-lost' } : { kind: 'down' };
  }

  send(productLogin: string, command: Omit<Command, 'type' | 'epoch'>): boolean {
    const link = this.#links.get(productLogin);
    return link?.isUp ? link.sendCommand(command) : false;
  }

  #note(productLogin: string, isAwaited: boolean): void {
    const nowMs = this.#clock.nowMs();
    this.#lost.delete(productLogin);
    this.#lost.set(productLogin, { atMs: nowMs, isAwaited });
    // In the order of their loss, so the old ones come first.
    for (const [login, { atMs }] of this.#lost) {
      if (nowMs - atMs < RECENTLY_LINKED_MS) return;
      this.#lost.delete(login);
    }
  }
}
