import { type Clock, type Command, RECENTLY_LINKED_MS } from '@relaygate/shared';
import type { HeldLink } from './device-store';
import type { LinkAvailability, LocalLinks } from './presence';

/** An authenticated link, as the registry keeps it. */
export interface LinkEntry {
  readonly productLogin: string;
  /** As the database knows it: epoch, key, boot. */
  readonly held: HeldLink;
  /** When its connection began, on the server's monotonic clock. */
  readonly begunAtMs: number;
  /** True after time exchange and resume report. */
  readonly isUp: boolean;
  readonly lastFrameAtMs: number;
  /** False unless the link is up: certainly no byte has left. */
  sendCommand(command: Omit<Command, 'type' | 'epoch'>): boolean;
  /** The database has ignored its last report. */
  saveReportAgain(): void;
  /** Ends the link because a newer one has taken over (I12). */
  replace(): void;
  revoke(): void;
  /** Because the server stops. */
  closeForRestart(): void;
}

/** One link per product; the newest epoch wins (I12). */
export class LinkRegistry implements LocalLinks {
  readonly #clock: Clock;
  #startedMs: number;
  readonly #links = new Map<string, LinkEntry>();
  /** When products lost their link; forgotten some time after RECENTLY_LINKED_MS. */
  readonly #lostAtMs = new Map<string, number>();

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#startedMs = clock.nowMs();
  }

  /** From now on devices can come. */
  begin(): void {
    this.#startedMs = this.#clock.nowMs();
  }

  /** False if a link with a newer epoch is there already. */
  attach(link: LinkEntry): boolean {
    const current = this.#links.get(link.productLogin);
    if (current && current.held.epoch > link.held.epoch) return false;
    this.#links.set(link.productLogin, link);
    if (current) {
      if (current.isUp) this.#noteLost(current.productLogin);
      current.replace();
    }
    return true;
  }

  /** `wasUp`: whether the link was up before its end. */
  detach(link: LinkEntry, wasUp: boolean): void {
    if (this.#links.get(link.productLogin) !== link) return;
    this.#links.delete(link.productLogin);
    if (wasUp) this.#noteLost(link.productLogin);
  }

  /** Another node lost the product's link a moment ago, or may have: this one owns the product from now on. */
  lostElsewhere(productLogin: string): void {
    if (!this.#links.has(productLogin)) this.#noteLost(productLogin);
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

  stateOf(productLogin: string): LinkAvailability {
    const link = this.#links.get(productLogin);
    if (link?.isUp) return { kind: 'up', bootId: link.held.bootId };
    // After a start every product counts as just lost: its device is on its way back.
    const lostAtMs = this.#lostAtMs.get(productLogin) ?? this.#startedMs;
    return { kind: this.#clock.nowMs() - lostAtMs < RECENTLY_LINKED_MS ? 'recently-lost' : 'down' };
  }

  send(productLogin: string, command: Omit<Command, 'type' | 'epoch'>): boolean {
    return this.#links.get(productLogin)?.sendCommand(command) ?? false;
  }

  #noteLost(productLogin: string): void {
    const nowMs = this.#clock.nowMs();
    this.#lostAtMs.delete(productLogin);
    this.#lostAtMs.set(productLogin, nowMs);
    // Sorted by loss, the oldest first.
    for (const [login, atMs] of this.#lostAtMs) {
      if (nowMs - atMs < RECENTLY_LINKED_MS) return;
      this.#lostAtMs.delete(login);
    }
  }
}
