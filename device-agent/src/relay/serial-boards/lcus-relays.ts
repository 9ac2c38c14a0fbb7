import type { Level } from '@relaygate/shared/device';
import { failure } from '../../runtime/problem';
import type { DriveOrder } from '../relay-driver';
import { type Dialect, readStatus, STATUS_REQUEST, type Status, switchFrame } from './lcus-frames';
import type { Driven, SerialProtocol, Unread } from './serial-board';
import type { SerialTalk } from './serial-talk';

/** Answers begin within some 10 ms. */
const ANSWER_MS = 150;
/** USB adapters hand over what they have got every few milliseconds. */
const QUIET_MS = 25;
/** `CH1: OFF` and its line end at 9,600 baud, with room. */
const LINE_MS = 12;
/** The pause between two frames; without it the board takes them for one. */
const GAP_MS = 10;
const LONGEST_REST_MS = 50;
/** How often the board is asked at the start, until it has answered. */
const GREETINGS = 3;
/**
 * When "off" is written again, counted from its edge, if the board does not answer. A lost byte takes the next frame with
 * it, because the board counts four bytes; a contactor that opens may disturb the line for some tens of milliseconds.
 */
export const REPEAT_OFF_AFTER_MS: readonly number[] = [50, 150, 450];

/** Relay boards of the kind LCUS-1 to LCUS-8. If a board can be read, each write is read back; else it is only written. */
export class LcusRelays implements SerialProtocol {
  readonly lines: number;
  /**
   * How the board answers. It is kept over reopening, so that silence is a failure once the board has answered. null: it
   * has not answered yet.
   */
  #dialect: Dialect | null = null;

  constructor(relays: number) {
    this.lines = relays;
  }

  async greet(talk: SerialTalk): Promise<(Level | null)[]> {
    let isSilent = true;
    for (let greeting = 0; greeting < GREETINGS; greeting += 1) {
      await this.untilBusIdle(talk);
      const status = await this.#status(talk);
      if (status.kind === 'read') {
        // Another board may have been plugged in.
        this.#dialect = status.dialect;
        return status.levels;
      }
      if (status.kind === 'garbled') isSilent = false;
    }
    if (isSilent && this.#dialect === null) return Array<null>(this.lines).fill(null);
    throw failure('not-lcus', { relays: this.lines });
  }

  get unread(): Unread | null {
    return this.#dialect === null ? { longestMs: this.#askingMs, ask: (talk) => this.#askAgain(talk) } : null;
  }

  async drive(talk: SerialTalk, order: DriveOrder, mayStart: () => boolean): Promise<Driven | null> {
    if (!mayStart()) return null;
    const frame = switchFrame(order.line, order.level);
    await talk.write(frame);
    if (this.#dialect === null && order.level === 'low')
      return { readBack: null, endsPulse: false, repeat: { frame, afterMs: REPEAT_OFF_AFTER_MS } };
    // So short a pulse must not wait for its own proof.
    const isTooShort = order.pulseMs !== undefined && order.pulseMs < this.#statusMs + LONGEST_REST_MS;
    if (this.#dialect === null || isTooShort) return { readBack: null, endsPulse: false };
    await this.untilBusIdle(talk);
    return { readBack: await this.read(talk, order.line), endsPulse: false };
  }

  async read(talk: SerialTalk, line: number): Promise<Level | null> {
    if (this.#dialect === null) return null;
    const status = await this.#status(talk);
    // Noise may look like the answer of another board: a single zero byte is all that a board of one relay says.
    if (status.kind === 'read' && status.dialect !== this.#dialect) throw failure('not-understood', {});
    switch (status.kind) {
      case 'read':
        return status.levels[line] ?? null;
      case 'silent':
        throw failure('board-silent', {});
      case 'garbled':
        throw failure('not-understood', {});
      default:
        return status satisfies never;
    }
  }

  untilBusIdle(talk: SerialTalk): Promise<void> {
    return talk.quiet(GAP_MS, LONGEST_REST_MS);
  }

  costOf(): { longestMs: number; isPrompt: boolean } {
    return { longestMs: this.#dialect !== null ? this.#askingMs : 2 * GAP_MS, isPrompt: true };
  }

  get #askingMs(): number {
    return this.#statusMs + 2 * GAP_MS;
  }

  async #askAgain(talk: SerialTalk): Promise<Level[] | null> {
    const status = await this.#status(talk);
    if (status.kind !== 'read') return null;
    this.#dialect = status.dialect;
    return status.levels;
  }

  async #status(talk: SerialTalk): Promise<Status> {
    const received = await talk.ask({
      request: STATUS_REQUEST,
      answerMs: ANSWER_MS,
      until: { quietMs: QUIET_MS, longestMs: QUIET_MS + LINE_MS * this.lines },
    });
    return readStatus(received, this.lines);
  }

  /** How long reading them all takes, at worst. */
  get #statusMs(): number {
    return ANSWER_MS + QUIET_MS + LINE_MS * this.lines;
  }
}
