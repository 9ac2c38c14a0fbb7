import type { Cancel, Clock } from '@relaygate/shared';
import type { Reason } from '../../runtime/cause';
import { cause, Failure, failure } from '../../runtime/problem';
import type { SerialConnection } from '../../serial/serial-port';

/** Answers are a few bytes; of longer ones only the last bytes are looked at (I15). */
const MAX_BYTES = 256;
/** A request is a few bytes: if the system does not take them within this time, the port hangs. */
const WRITE_MS = 250;
/** If a timer is later than this, the process was held up. */
const HELD_UP_MS = 10;
/** After that, what came meanwhile lies in the port, and is read within this time. */
const CATCH_UP_MS = 30;

export interface Question {
  request: Uint8Array;
  /** How long to wait for the answer's first byte, or for all of it if `until` is absent. */
  answerMs: number;
  /**
   * The answer is over when nothing has come for `quietMs`, or `longestMs` after its first byte, because noise may never
   * end.
   */
  until?: { quietMs: number; longestMs: number };
  /** Whether the answer is whole already. */
  isWhole?(bytes: Uint8Array): boolean;
}

/** The port hangs, so what it still holds must be dropped: it would move a relay later (I2). */
export class PortHangs extends Failure {}

/** Asks one question at a time, over whatever connection there is. */
export class SerialTalk {
  readonly #clock: Clock;
  #connection: SerialConnection | null = null;
  #received: (chunk: Uint8Array) => void = () => {};
  #broken: (problem: Reason) => void = () => {};
  /** When the last byte came, or when the last one that goes will have left. */
  #lastByteMs = Number.NEGATIVE_INFINITY;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Whom to talk to from now on. */
  use(connection: SerialConnection): void {
    this.#connection = connection;
  }

  /** The connection is gone; an open question fails. */
  end(problem: Reason): void {
    this.#connection = null;
    this.#broken(problem);
  }

  hear(chunk: Uint8Array): void {
    this.#usedUntil(this.#clock.nowMs());
    this.#received(chunk);
  }

  /** Resolves when nothing has come or gone for so long; if noise never ends, `atMostMs` after what goes has left. */
  async quiet(forMs: number, atMostMs: number): Promise<void> {
    const untilMs = Math.max(this.#clock.nowMs(), this.#lastByteMs) + atMostMs;
    for (;;) {
      const nowMs = this.#clock.nowMs();
      const leftMs = Math.min(this.#lastByteMs + forMs, untilMs) - nowMs;
      if (leftMs <= 0) return;
      await new Promise<void>((resolve) => this.#unheardFor(leftMs, resolve));
    }
  }

  /**
   * Writes them; the first byte leaves after the call. Resolves when the system has taken them. Rejects as `ask` does. If no
   * answer shows that they have left, `wireMs` is how long that takes: the system takes them faster than they go.
   */
  write(bytes: Uint8Array, wireMs = 0): Promise<void> {
    return new Promise((resolve, reject) => {
      const connection = this.#connection;
      if (!connection) return reject(failure('port-not-open', {}));
      const cancelTimer = this.#unheardFor(WRITE_MS, () => reject(new PortHangs(cause('port-hangs', {}))));
      connection
        .write(bytes)
        .finally(() => {
          cancelTimer();
          this.#usedUntil(this.#clock.nowMs() + wireMs);
        })
        .then(resolve, reject);
    });
  }

  /** Resolves with what has come, which may be nothing. Rejects when the port is gone, or hangs. */
  ask({ request, answerMs, until, isWhole }: Question): Promise<Uint8Array> {
    return new Promise((resolve, reject) => {
      let bytes = new Uint8Array();
      let cancelTimer: Cancel = () => {};
      let isOver = false;
      // Until the request is taken, its own limit counts.
      let endMs = Number.POSITIVE_INFINITY;
      const end = (): void => {
        isOver = true;
        cancelTimer();
        this.#received = () => {};
        this.#broken = () => {};
      };
      const over = (): void => {
        end();
        resolve(bytes);
      };
      const fail = (error: Error): void => {
        // A write may fail after its answer: by then the next question is open.
        if (isOver) return;
        end();
        reject(error);
      };
      this.#broken = (problem) => fail(new Failure(problem));
      this.#received = (chunk) => {
        bytes = new Uint8Array([...bytes, ...chunk].slice(-MAX_BYTES));
        if (isWhole?.(bytes)) return over();
        if (until === undefined) return;
        cancelTimer();
        cancelTimer = this.#unheardFor(Math.min(until.quietMs, Math.max(0, endMs - this.#clock.nowMs())), over);
      };
      this.write(request).then(() => {
        // The answer may come before the system confirms the write.
        if (isOver) return;
        if (until !== undefined) endMs = this.#clock.nowMs() + answerMs + until.longestMs;
        if (bytes.length === 0 || until === undefined) cancelTimer = this.#unheardFor(answerMs, over);
      }, fail);
    });
  }

  #usedUntil(ms: number): void {
    this.#lastByteMs = Math.max(this.#lastByteMs, ms);
  }

  /** Calls `isOver` after so long without an answer. A process that was held up first looks at what lies in the port. */
  #unheardFor(forMs: number, isOver: () => void): Cancel {
    const dueMs = this.#clock.nowMs() + forMs;
    let cancelTimer = this.#clock.after(forMs, () => {
      const wasHeldUp = this.#clock.nowMs() - dueMs > HELD_UP_MS;
      if (wasHeldUp) cancelTimer = this.#unheardFor(CATCH_UP_MS, isOver);
      else isOver();
    });
    return () => cancelTimer();
  }
}
