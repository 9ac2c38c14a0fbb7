import type { Level } from '@relaygate/shared';
import { PHRASES } from '../../words/phrases';
import type { DriveOrder } from '../relay-driver';
import { readStatus, STATUS_REQUEST, type Status, switchFrame } from './lcus-frames';
import type { Driven, SerialProtocol } from './serial-board';
import type { SerialTalk } from './serial-talk';

/** Answers begin within some 10 ms. */
const ANSWER_MS = 150;
/** USB adapters hand over what they have got every few milliseconds. */
const QUIET_MS = 25;
/** `CH1: OFF` and its line end at 9,600 baud, with room. */
const LINE_MS = 12;
/** Between two frames, or the board takes them for one. */
const GAP_MS = 10;
const LONGEST_REST_MS = 50;
/** So often it is asked at the start, until it has answered. */
const GREETINGS = 3;

/** Relay boards of the kind LCUS-1 to LCUS-8. What can be read is read back after each write; the rest is only written. */
export class LcusRelays implements SerialProtocol {
  readonly lines: number;
  /** The board has answered once, so that its silence is a failure from then on; null: not yet asked. */
  #answers: boolean | null = null;

  constructor(relays: number) {
    this.lines = relays;
  }

  async greet(talk: SerialTalk): Promise<(Level | null)[]> {
    let isSilent = true;
    for (let greeting = 0; greeting < GREETINGS; greeting += 1) {
      await this.rest(talk);
      const status = await this.#status(talk);
      if (status.kind === 'read') {
        this.#answers = true;
        return status.levels;
      }
      if (status.kind === 'garbled') isSilent = false;
    }
    if (isSilent && this.#answers !== true) {
      this.#answers = false;
      return Array<null>(this.lines).fill(null);
    }
    throw new Error(`it does not answer as an LCUS board of ${this.lines} relays does`);
  }

  async drive(talk: SerialTalk, order: DriveOrder, mayStart: () => boolean): Promise<Driven | null> {
    if (!mayStart()) return null;
    await talk.write(switchFrame(order.line, order.level));
    // A pulse that short must not wait for its own proof.
    const isTooShort = order.pulseMs !== undefined && order.pulseMs < this.#statusMs + LONGEST_REST_MS;
    if (this.#answers !== true || isTooShort) return { readBack: null, endsPulse: false };
    await this.rest(talk);
    return { readBack: await this.read(talk, order.line), endsPulse: false };
  }

  async read(talk: SerialTalk, line: number): Promise<Level | null> {
    if (this.#answers !== true) return null;
    const status = await this.#status(talk);
    switch (status.kind) {
      case 'read':
        return status.levels[line] ?? null;
      case 'silent':
        throw new Error(PHRASES.boardSilent);
      case 'garbled':
        throw new Error(PHRASES.notUnderstood);
      default:
        return status satisfies never;
    }
  }

  rest(talk: SerialTalk): Promise<void> {
    return talk.quiet(GAP_MS, LONGEST_REST_MS);
  }

  costOf(): { longestMs: number; isPrompt: boolean } {
    return { longestMs: this.#answers === true ? this.#statusMs + 2 * GAP_MS : 2 * GAP_MS, isPrompt: true };
  }

  async #status(talk: SerialTalk): Promise<Status> {
    const heard = await talk.ask({
      request: STATUS_REQUEST,
      answerMs: ANSWER_MS,
      until: { quietMs: QUIET_MS, longestMs: QUIET_MS + LINE_MS * this.lines },
    });
    return readStatus(heard, this.lines);
  }

  /** How long reading them all takes, at worst. */
  get #statusMs(): number {
    return ANSWER_MS + QUIET_MS + LINE_MS * this.lines;
  }
}
