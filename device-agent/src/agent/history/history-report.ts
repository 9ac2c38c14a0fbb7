import { type Events, type EventsKept, type HistoryEntry, MAX_EVENTS_PER_FRAME } from '@relaygate/shared';
import type { History } from './history';

export interface HistoryReportDeps {
  history: Pick<History, 'id' | 'isDurable' | 'lastSeq' | 'after' | 'renew'>;
  /** False: the link is not up. */
  send(message: Events): boolean;
}

/** A frame behind which the result of a command may have to wait; one entry that is larger goes alone. */
const FRAME_BYTES = 4_096;

/**
 * Tells the server of the history. The server knows how far it is, so nothing of it stands on the card: each link begins
 * with a question, and goes on behind the answer, one frame at a time. A server that knows no `events` does not answer,
 * and is asked again on the next link only.
 */
export class HistoryReport {
  readonly #deps: HistoryReportDeps;
  #isUp = false;
  /** The server has it up to here; null: it has not said yet. */
  #kept: number | null = null;
  /** The answer that is waited for is at least this; null: none is. */
  #awaited: number | null = null;
  #isRenewed = false;
  /** The history has an id that is not durable yet: nobody hears of it before it is. */
  #mustAsk = false;

  constructor(deps: HistoryReportDeps) {
    this.#deps = deps;
  }

  linkChanged(isUp: boolean): void {
    if (isUp === this.#isUp) return;
    this.#isUp = isUp;
    this.#isRenewed = false;
    this.#kept = null;
    this.#awaited = null;
    if (isUp && !this.#mustAsk) this.#ask();
  }

  /** Entries have become durable. */
  historyChanged(): void {
    if (this.#mustAsk) {
      if (!this.#deps.history.isDurable) return;
      this.#mustAsk = false;
      if (this.#isUp) this.#ask();
    }
    if (this.#kept !== null && this.#awaited === null) this.#sendNext(this.#kept);
  }

  kept({ historyId, upTo }: EventsKept): void {
    const { history } = this.#deps;
    // An answer that came twice, or to a question before this one.
    if (historyId !== history.id || this.#awaited === null || upTo < this.#awaited) return;
    if (upTo > history.lastSeq && !this.#isRenewed) return this.#startAnew();
    this.#awaited = null;
    this.#kept = upTo;
    this.#sendNext(upTo);
  }

  /** Once a link: an older copy of the card is in the device, whose numbers the server has seen already. */
  #startAnew(): void {
    this.#isRenewed = true;
    // Of the old id no answer counts any more.
    this.#awaited = null;
    this.#kept = null;
    this.#mustAsk = true;
    // The history itself says what the disk refuses, tries again, and says when it is durable.
    this.#deps.history.renew().catch(() => {});
  }

  #ask(): void {
    this.#send([], 0);
  }

  #sendNext(keptSeq: number): void {
    const entries: HistoryEntry[] = [];
    let bytes = 0;
    for (const entry of this.#deps.history.after(keptSeq, MAX_EVENTS_PER_FRAME)) {
      bytes += Buffer.byteLength(JSON.stringify(entry));
      if (bytes > FRAME_BYTES && entries.length > 0) break;
      entries.push(entry);
    }
    const last = entries.at(-1);
    if (last) this.#send(entries, last.seq);
  }

  #send(entries: HistoryEntry[], awaited: number): void {
    const { history, send } = this.#deps;
    if (send({ type: 'events', historyId: history.id, entries })) this.#awaited = awaited;
  }
}
