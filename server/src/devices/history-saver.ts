import {
  type Cancel,
  type Clock,
  type Events,
  type EventsKept,
  RelaygateError,
  type WallClock,
} from '@relaygate/shared';
import { type DeviceHistoryStore, historySizeBytes } from '../audit/device-history';
import { DATABASE_RETRY_MS } from '../database-retry';
import type { WriteBudgets } from '../limits/write-budgets';
import type { Log } from '../log/log';

export interface HistorySaverDeps {
  store: DeviceHistoryStore;
  /** Those of the product: with one for each link, a device that links again and again would fill the disk. */
  budgets: Pick<WriteBudgets, 'history'>;
  clock: Clock;
  wallClock: WallClock;
  log: Log;
}

/**
 * Saves the history that one link reports, and answers once it is durable. One frame at a time: of the frames that arrive
 * before the answer only the last one waits, because the others may be repetitions. A device beyond its budget waits
 * longer for its answer (I15).
 */
export class HistorySaver {
  readonly #deps: HistorySaverDeps;
  readonly #productLogin: string;
  readonly #epoch: number;
  readonly #answer: (kept: EventsKept) => void;
  #inHand: Events | null = null;
  #next: Events | null = null;
  /** A write of `#inHand` runs, or the database has not answered one. */
  #mayBeKept = false;
  #cancelWait: Cancel = () => {};

  constructor(deps: HistorySaverDeps, productLogin: string, epoch: number, answer: (kept: EventsKept) => void) {
    this.#deps = deps;
    this.#productLogin = productLogin;
    this.#epoch = epoch;
    this.#answer = answer;
  }

  take(events: Events): void {
    if (this.#inHand) {
      this.#next = events;
      return;
    }
    this.#inHand = events;
    this.#mayBeKept = false;
    const { clock, budgets } = this.#deps;
    const waitMs = budgets.history.of(this.#productLogin).spend(historySizeBytes(this.#productLogin, events));
    if (waitMs === 0) void this.#keep(events);
    else this.#cancelWait = clock.after(waitMs, () => void this.#keep(events));
  }

  /** No answer and no retry any more; the device reports it again on its next link. */
  stop(): void {
    if (this.#inHand && !this.#mayBeKept) this.#giveBack(this.#inHand);
    this.#inHand = null;
    this.#next = null;
    this.#cancelWait();
  }

  async #keep(events: Events): Promise<void> {
    const { store, wallClock, log } = this.#deps;
    const productLogin = this.#productLogin;
    const { historyId, entries } = events;
    const wasPerhapsKept = this.#mayBeKept;
    this.#mayBeKept = true;
    try {
      const received = { historyId, entries, atMs: wallClock.epochMs() };
      const upTo = await store.keepHistory(productLogin, this.#epoch, received);
      // A later link has drawn its epoch: it will replace this one, or fail.
      if (upTo === undefined) return this.#notKept(events, wasPerhapsKept);
      if (this.#inHand !== events) return;
      this.#inHand = null;
      this.#answer({ type: 'events-kept', historyId, upTo });
      this.#takeNext();
    } catch (err) {
      log.warn({ productLogin, err }, "device's history not saved, tried again");
      const isUnanswered = err instanceof RelaygateError && err.code === 'storage-unanswered';
      this.#notKept(events, wasPerhapsKept || isUnanswered);
    }
  }

  #takeNext(): void {
    const next = this.#next;
    this.#next = null;
    if (next) this.take(next);
  }

  #notKept(events: Events, mayBeKept: boolean): void {
    this.#mayBeKept = mayBeKept;
    if (this.#inHand !== events) {
      if (!mayBeKept) this.#giveBack(events);
      return;
    }
    this.#cancelWait = this.#deps.clock.after(DATABASE_RETRY_MS, () => void this.#keep(events));
  }

  /** Gives back the budget of what was not written: otherwise a device would owe more with each new link. */
  #giveBack(events: Events): void {
    this.#deps.budgets.history.of(this.#productLogin).giveBack(historySizeBytes(this.#productLogin, events));
  }
}
