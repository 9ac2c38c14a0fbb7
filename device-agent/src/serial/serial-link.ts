import type { Cancel, Clock } from '@relaygate/shared';
import type { Cause } from '../runtime/cause';
import { cause, causeOf } from '../runtime/problem';
import type { OpenSerial, SerialConnection, SerialSettings } from './serial-port';

const REOPEN_BASE_MS = 100;
/** The longest wait before the port is opened again: whoever plugs an adapter in does not wait for long. */
const REOPEN_CAP_MS = 2_000;
/** A board whose relays take the adapter's supply down comes back at once, and goes again with the next order. */
const STEADY_MS = 10_000;
/** The kernel may hold a closing port back; another opening says by itself whether it is still held. */
const CLOSE_PATIENCE_MS = 1_000;
/** Beyond, the port counts as away; it is not opened beside an opening that hangs, which holds a thread. */
const OPEN_PATIENCE_MS = 5_000;

export interface SerialLinkDeps {
  open: OpenSerial;
  clock: Clock;
  settings: SerialSettings;
  bytes(bytes: Uint8Array): void;
  /** Speaks with the board before anybody else may. Rejects when it is not the board. */
  greet(connection: SerialConnection): Promise<void>;
  up(): void;
  /** The port is not open any more, or not yet; called for each try that fails. */
  down(problem: Cause): void;
}

/** Keeps one port open: a lost one is closed, and opened again until it is back. */
export class SerialLink {
  readonly #deps: SerialLinkDeps;
  #connection: SerialConnection | null = null;
  /** Counts openings; calls of an earlier one are ignored. */
  #opening = 0;
  #failures = 0;
  /** Since when the board can be spoken to. */
  #upMs = Number.POSITIVE_INFINITY;
  #cancelWait: Cancel = () => {};
  #isStopped = false;
  #firstTryIsOver = (): void => {};

  constructor(deps: SerialLinkDeps) {
    this.#deps = deps;
  }

  /** null: nobody can be spoken to. */
  get connection(): SerialConnection | null {
    return this.#connection;
  }

  /** Resolves when the first try is over, with the board or without. Never rejects. */
  start(): Promise<void> {
    return new Promise((resolve) => {
      this.#firstTryIsOver = resolve;
      void this.#open().finally(resolve);
    });
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#opening += 1;
    this.#cancelWait();
    const connection = this.#connection;
    this.#connection = null;
    if (connection) await this.#closed(connection);
  }

  /** Gives the port up, and opens it again. */
  lose(problem: Cause): void {
    const connection = this.#connection;
    this.#connection = null;
    // Closing may take its time; the next opening waits for it.
    void this.#again(problem, connection);
  }

  async #open(): Promise<void> {
    const { open, clock, settings, bytes, greet, up, down } = this.#deps;
    this.#opening += 1;
    const opening = this.#opening;
    const isMine = (): boolean => this.#opening === opening;
    let connection: SerialConnection | null = null;
    const cancelHang = clock.after(OPEN_PATIENCE_MS, () => {
      if (isMine()) down(cause('port-opening', {}));
      this.#firstTryIsOver();
    });
    try {
      connection = await open(settings, {
        bytes: (chunk) => {
          if (isMine()) bytes(chunk);
        },
        gone: (problem) => {
          if (isMine()) this.lose(problem);
        },
      }).finally(cancelHang);
      if (!isMine()) return await this.#closed(connection);
      this.#connection = connection;
      await greet(connection);
      if (!isMine()) return;
      this.#upMs = clock.nowMs();
      up();
    } catch (error) {
      if (!isMine()) return;
      this.#connection = null;
      void this.#again(causeOf(error), connection);
    }
  }

  async #again(problem: Cause, connection: SerialConnection | null): Promise<void> {
    this.#opening += 1;
    const opening = this.#opening;
    const { clock, down } = this.#deps;
    if (clock.nowMs() - this.#upMs >= STEADY_MS) this.#failures = 0;
    this.#upMs = Number.POSITIVE_INFINITY;
    const delayMs = Math.min(REOPEN_CAP_MS, REOPEN_BASE_MS * 2 ** this.#failures);
    this.#failures = Math.min(this.#failures + 1, 16);
    const closed = connection === null ? Promise.resolve() : this.#closed(connection);
    down(problem);
    await closed;
    if (this.#isStopped || this.#opening !== opening) return;
    this.#cancelWait = clock.after(delayMs, () => void this.#open());
  }
  /** Resolves when it is closed, or hangs: a port that hangs delays neither a reopening nor the program's end. */
  #closed(connection: SerialConnection): Promise<void> {
    return new Promise((resolve) => {
      const cancel = this.#deps.clock.after(CLOSE_PATIENCE_MS, resolve);
      void connection.close().finally(() => {
        cancel();
        resolve();
      });
    });
  }
}
