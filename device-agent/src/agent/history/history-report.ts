import {
  type Cancel,
  type Clock,
  type Events,
  type EventsKept,
  type HistoryEntry,
  MAX_EVENTS_PER_FRAME,
  type Randomness,
} from '@relaygate/shared';
import { backoffMs } from '../backoff';
import type { History } from './history';

export interface HistoryReportPorts {
  history: Pick<History, 'id' | 'lastSeq' | 'after' | 'renew'>;
  clock: Clock;
  randomness: Pick<Randomness, 'fraction'>;
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
  readonly #ports: HistoryReportPorts;
  #isUp = false;
  /** The server has it up to here; null: it has not said yet. */
  #kept: number | null = null;
  /** The answer that is waited for is at least this; null: none is. */
  #awaited: number | null = null;
  #isRenewed = false;
  #cancelRenewal: Cancel = () => {};

  constructor(ports: HistoryReportPorts) {
    this.#ports = ports;
  }

  linkChanged(isUp: boolean): void {
    if (isUp === this.#isUp) return;
    this.#isUp = isUp;
    this.#isRenewed = false;
    this.#cancelRenewal();
    this.#kept = null;
    this.#awaited = null;
    if (isUp) this.#ask();
  }

  /** Entries have become durable. */
  historyChanged(): void {
    if (this.#kept !== null && this.#awaited === null) this.#sendNext(this.#kept);
  }

  stop(): void {
    this.#cancelRenewal();
  }

  async kept({ historyId, upTo }: EventsKept): Promise<void> {
    const { history } = this.#ports;
    // An answer that came twice, or to a question before this one.
    if (historyId !== history.id || this.#awaited === null || upTo < this.#awaited) return;
    if (upTo > history.lastSeq && !this.#isRenewed) return this.#startAnew(0);
    this.#awaited = null;
    this.#kept = upTo;
    this.#sendNext(upTo);
  }

  /** Once a link: an older copy of the card is in the device, whose numbers the server has seen already. */
  async #startAnew(attempt: number): Promise<void> {
    const { history, clock, randomness } = this.#ports;
    this.#isRenewed = true;
    // Of the old id no answer counts any more, and the new one is nobody's before it is durable.
    this.#awaited = null;
    this.#kept = null;
    try {
      await history.renew();
    } catch {
      // The history itself says what the disk refuses.
      const delayMs = backoffMs(attempt, randomness.fraction());
      if (this.#isUp) this.#cancelRenewal = clock.after(delayMs, () => void this.#startAnew(attempt + 1));
      return;
    }
    if (this.#isUp) this.#ask();
  }

  #ask(): void {
    this.#send([], 0);
  }

  #sendNext(keptSeq: number): void {
    const entries: HistoryEntry[] = [];
    let bytes = 0;
    for (const entry of this.#ports.history.after(keptSeq, MAX_EVENTS_PER_FRAME)) {
      bytes += Buffer.byteLength(JSON.stringify(entry));
      if (bytes > FRAME_BYTES && entries.length > 0) break;
      entries.push(entry);
    }
    const last = entries.at(-1);
    if (last) this.#send(entries, last.seq);
  }

  #send(entries: HistoryEntry[], awaited: number): void {
    const { history, send } = this.#ports;
    if (send({ type: 'events', historyId: history.id, entries })) this.#awaited = awaited;
  }
}
