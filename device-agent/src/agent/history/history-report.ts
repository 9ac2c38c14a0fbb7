import { type Events, type EventsKept, type HistoryEntry, MAX_EVENTS_PER_FRAME } from '@relaygate/shared';
import type { History } from './history';

export interface HistoryReportDeps {
  history: Pick<History, 'id' | 'isDurable' | 'lastSeq' | 'after' | 'renew'>;
  /** False: the link is not up. */
  send(message: Events): boolean;
}

/** The size of a frame, behind which a command's result may have to wait; a larger entry goes alone. */
const FRAME_BYTES = 4_096;

/**
 * Reports the history to the server. The server knows how much it has, so the card need not: each link begins with a
 * question, and goes on behind the answer, one frame at a time. A server that knows no `events` does not answer, and is
 * asked again on the next link only.
 */
export class HistoryReport {
  readonly #deps: HistoryReportDeps;
  #isUp = false;
  /** The last entry that the server has; null: it has not said yet. */
  #kept: number | null = null;
  /** The awaited answer names at least this entry; null: none is awaited. */
  #awaited: number | null = null;
  #isRenewed = false;
  /** The history's new id is not durable yet, so the server does not hear of it. */
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
    // The answer came twice, or belongs to an earlier question.
    if (historyId !== history.id || this.#awaited === null || upTo < this.#awaited) return;
    if (upTo > history.lastSeq && !this.#isRenewed) return this.#startAnew();
    this.#awaited = null;
    this.#kept = upTo;
    this.#sendNext(upTo);
  }

  /** Once a link: an older copy of the card is in the device, so the server has seen its numbers already. */
  #startAnew(): void {
    this.#isRenewed = true;
    // No answer about the old id counts any more.
    this.#awaited = null;
    this.#kept = null;
    this.#mustAsk = true;
    // The history itself reports what the disk refuses, tries again, and says when it is durable.
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
