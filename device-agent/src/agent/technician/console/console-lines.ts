import { isPlain } from '@relaygate/shared';

/** The longest line that somebody has to type is an output's name. I15. */
export const MAX_LINE_CHARS = 80;

export const CTRL_C = 0x03;
const BACKSPACE = 0x08;
const TAB = 0x09;
const LF = 0x0a;
const CR = 0x0d;
const NAK = 0x15;
const ESC = 0x1b;
const SPACE = 0x20;
const DEL = 0x7f;
/** What a decoder makes of bytes that are no UTF-8. */
const GARBAGE = 0xfffd;

export type Typed =
  | { kind: 'line'; text: string }
  /** A line with bytes in it that nobody types: noise, or another encoding. It may mean anything. */
  | { kind: 'garbled' }
  /** Ctrl-C. */
  | { kind: 'cancelled' };

export interface LineTaker {
  /** Shows text where it was typed. */
  echo(text: string): void;
  typed(typed: Typed): void;
}

/**
 * Makes lines of what a terminal sends: CR, LF or CRLF end one, Backspace and Ctrl-U take back. Keys such as arrows are
 * ignored.
 */
export class LineEditor {
  readonly #taker: LineTaker;
  readonly #decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  #chars: string[] = [];
  #isGarbled = false;
  #lastWasCr = false;
  /** Where in a key's escape sequence. */
  #escape: 'none' | 'begun' | 'sequence' = 'none';
  isSecret = false;

  constructor(taker: LineTaker) {
    this.#taker = taker;
  }

  /** False: nothing but noise. */
  push(bytes: Uint8Array): boolean {
    let wasTyped = false;
    for (const char of this.#decoder.decode(bytes, { stream: true })) wasTyped = this.#take(char) || wasTyped;
    return wasTyped;
  }

  /** Forgets what was typed of a line. */
  clear(): void {
    this.#chars = [];
    this.#isGarbled = false;
  }

  #take(char: string): boolean {
    const code = char.codePointAt(0) ?? GARBAGE;
    const followsCr = this.#lastWasCr;
    this.#lastWasCr = code === CR;
    if (this.#isOfEscape(code)) return true;
    switch (code) {
      case CR:
        return this.#end();
      case LF:
        return followsCr || this.#end();
      case BACKSPACE:
      case DEL:
        return this.#takeBack(1);
      case NAK:
        this.#takeBack(this.#chars.length);
        this.clear();
        return true;
      case CTRL_C:
        this.clear();
        this.#taker.typed({ kind: 'cancelled' });
        return true;
      case TAB:
        return true;
      default:
        return this.#add(char, code);
    }
  }

  #add(char: string, code: number): boolean {
    if (!isPlain(char) || code === GARBAGE) {
      this.#isGarbled = true;
      return false;
    }
    if (this.#chars.length >= MAX_LINE_CHARS) {
      // A line that is cut short would be another text than was typed.
      this.#isGarbled = true;
      return true;
    }
    this.#chars.push(char);
    this.#taker.echo(this.isSecret ? '*' : char);
    return true;
  }

  #takeBack(count: number): boolean {
    const gone = Math.min(count, this.#chars.length);
    this.#chars.length -= gone;
    if (gone > 0) this.#taker.echo('\b \b'.repeat(gone));
    return true;
  }

  #end(): boolean {
    const text = this.#chars.join('');
    const isGarbled = this.#isGarbled;
    this.clear();
    this.#taker.echo('\r\n');
    this.#taker.typed(isGarbled ? { kind: 'garbled' } : { kind: 'line', text: text.trim() });
    return true;
  }

  /** ESC and a character, or ESC, `[` or `O`, and all up to a letter; a control character ends it in any case. */
  #isOfEscape(code: number): boolean {
    const state = this.#escape;
    if (code === ESC) {
      this.#escape = 'begun';
      return true;
    }
    this.#escape = 'none';
    if (state === 'none' || code < SPACE) return false;
    const introducesMore = code === 0x5b || code === 0x4f;
    const isLast = code >= 0x40 && code <= 0x7e;
    if (state === 'begun' ? introducesMore : !isLast) this.#escape = 'sequence';
    return true;
  }
}
