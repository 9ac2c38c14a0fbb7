import { type Cancel, type Clock, epochMsAt, MAX_UNSETTLED_LINKS, type WallClock } from '@relaygate/shared';
import { DATABASE_RETRY_MS } from '../database-retry';
import type { Log } from '../log/log';
import type { NodeMembership } from '../nodes/membership';
import type { DeviceStore } from './device-store';
import type { LinkRegistry } from './link-registry';

export interface LinkSettlerDeps {
  store: Pick<DeviceStore, 'closeLink' | 'settleLink'>;
  registry: LinkRegistry;
  node: Pick<NodeMembership, 'instance'>;
  clock: Clock;
  wallClock: WallClock;
  log: Log;
}

/**
 * Makes the database name the link that the registry holds. A failed opening has drawn an epoch: the database would ignore
 * the reports of the living link, or show the product as connected (I11, I12). Tried until the database has written it,
 * but never beside an opening of the same product.
 */
export class LinkSettler {
  readonly #deps: LinkSettlerDeps;
  /** How many openings of each product run. */
  readonly #openings = new Map<string, number>();
  readonly #settling = new Map<string, Promise<void>>();
  /**
   * By product: when its device was last seen, on the monotonic clock. Wall times do not show which of two came later if the wall
   * clock was set back in between (I11). The product that waits longest comes first.
   */
  readonly #unsettled = new Map<string, number>();
  #cancelRetry: Cancel | null = null;
  #isStopped = false;

  constructor(deps: LinkSettlerDeps) {
    this.#deps = deps;
  }

  /** Runs an opening until its link is in the registry, or has failed. */
  async whileOpening(productLogin: string, open: () => Promise<void>): Promise<void> {
    for (let settling = this.#settling.get(productLogin); settling; settling = this.#settling.get(productLogin)) {
      await settling;
    }
    this.#openings.set(productLogin, (this.#openings.get(productLogin) ?? 0) + 1);
    try {
      await open();
    } finally {
      const left = (this.#openings.get(productLogin) ?? 0) - 1;
      if (left > 0) this.#openings.set(productLogin, left);
      else this.#openings.delete(productLogin);
      void this.#settle(productLogin);
    }
  }

  /** A link is down. `seenAtMs`: when the device was last seen, on the monotonic clock. */
  ended(productLogin: string, epoch: number, seenAtMs: number): void {
    if (this.#settling.has(productLogin)) return this.doubt(productLogin, seenAtMs);
    this.#deps.store.closeLink(productLogin, epoch, epochMsAt(seenAtMs, this.#deps)).catch((err) => {
      this.#deps.log.error({ productLogin, err }, 'link end not recorded, tried again');
      this.#doubtLater(productLogin, seenAtMs);
    });
  }

  /** The database may name another link than the registry. `seenAtMs`: as `ended` has it, in case it has no link. */
  doubt(productLogin: string, seenAtMs: number): void {
    this.#note(productLogin, seenAtMs);
    void this.#settle(productLogin);
  }

  /** The server stops; its next start closes all links. */
  stop(): void {
    this.#isStopped = true;
    this.#cancelRetry?.();
    this.#unsettled.clear();
  }

  #doubtLater(productLogin: string, seenAtMs: number): void {
    this.#note(productLogin, seenAtMs);
    this.#retryLater();
  }

  #note(productLogin: string, seenAtMs: number): void {
    if (this.#isStopped) return;
    const known = this.#unsettled.get(productLogin) ?? seenAtMs;
    this.#unsettled.set(productLogin, Math.max(known, seenAtMs));
    for (const oldest of this.#unsettled.keys()) {
      if (this.#unsettled.size <= MAX_UNSETTLED_LINKS) return;
      this.#unsettled.delete(oldest);
    }
  }

  /** Does nothing while an opening runs: its end calls this again. */
  async #settle(productLogin: string): Promise<void> {
    const seenAtMs = this.#unsettled.get(productLogin);
    if (seenAtMs === undefined || this.#openings.has(productLogin) || this.#settling.has(productLogin)) return;
    this.#unsettled.delete(productLogin);
    const settling = this.#write(productLogin, seenAtMs);
    this.#settling.set(productLogin, settling);
    await settling;
  }

  async #write(productLogin: string, seenAtMs: number): Promise<void> {
    const { store, registry, node, log } = this.#deps;
    const link = registry.current(productLogin);
    const ofNode = node.instance === undefined ? [] : ([node.instance] as const);
    try {
      await store.settleLink(productLogin, link?.held ?? null, epochMsAt(seenAtMs, this.#deps), ...ofNode);
      this.#settling.delete(productLogin);
      // The database ignored what it reported meanwhile.
      if (link && registry.current(productLogin) === link) link.saveReportAgain();
      void this.#settle(productLogin);
    } catch (err) {
      this.#settling.delete(productLogin);
      log.warn({ productLogin, err }, 'link not settled in the database, tried again');
      this.#doubtLater(productLogin, seenAtMs);
    }
  }

  #retryLater(): void {
    if (this.#cancelRetry || this.#isStopped) return;
    this.#cancelRetry = this.#deps.clock.after(DATABASE_RETRY_MS, () => {
      this.#cancelRetry = null;
      void this.#retry();
    });
  }

  /** One by one, and no further than the first that fails: it has asked for the next try. */
  async #retry(): Promise<void> {
    for (const productLogin of [...this.#unsettled.keys()]) {
      await this.#settle(productLogin);
      if (this.#cancelRetry) return;
    }
  }
}
