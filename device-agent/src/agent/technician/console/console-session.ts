import { type Cancel, type Clock, pause } from '@relaygate/shared';
import type { ConsoleLanguage } from '@relaygate/shared/device';
import { PIN_DIGITS, PIN_PATTERN } from '../../../files/pin-record';
import { otherLanguage } from '../../../locales/common';
import type { ConsoleTranslations } from '../../../locales/console';
import { localeOf } from '../../../locales/locales';
import type { PinGate } from '../pin/pin-gate';
import type { ConsoleAgent } from './console-agent';
import { CTRL_C, LineEditor, type Typed } from './console-lines';
import { menu } from './console-menu';
import { PAGE_LINES, wrapped } from './console-page';
import { type Dialogue, Interrupted } from './dialogue';
import { StallWatch } from './stall-watch';

/** How long the console stays open for somebody who forgets to log out. */
export const IDLE_MS = 300_000;
/** The pause after a wrong PIN: a line that echoes what it gets would ask without end. */
export const REFUSED_PAUSE_MS = 500;
/** All that a stranger learns. */
const NAME = 'Relaygate';

export interface SessionDeps {
  clock: Clock;
  agent: ConsoleAgent;
  pin: Pick<PinGate, 'check' | 'id'>;
  language: ConsoleLanguage;
  write(text: string): void;
  /** Called once, when the session has ended by itself; `problem`: a fault of ours. */
  over(problem: unknown): void;
}

interface Waiter {
  resolve(line: string): void;
  reject(why: Interrupted): void;
}

/**
 * One login, from the PIN to its end. Text that is typed while nobody asks is dropped, so an answer always belongs to a
 * question that was shown.
 */
export class ConsoleSession implements Dialogue {
  readonly #deps: SessionDeps;
  readonly #editor: LineEditor;
  #language: ConsoleLanguage;
  #question = '';
  #waiter: Waiter | null = null;
  #isLoggedIn = false;
  /** The id of the PIN by which the session was begun. */
  #pinId: string | null = null;
  #isOver = false;
  #cancelIdle: Cancel = () => {};
  /** Absent until somebody is logged in. */
  #stalls: StallWatch | null = null;

  constructor(deps: SessionDeps) {
    this.#deps = deps;
    this.#language = deps.language;
    this.#editor = new LineEditor({
      echo: (text) => {
        if (this.#waiter) this.#write(text);
      },
      typed: (typed) => this.#typed(typed),
    });
  }

  get t(): ConsoleTranslations {
    return localeOf(this.#language).console;
  }

  changeLanguage(): void {
    this.#language = otherLanguage(this.#language);
  }

  begin(): void {
    void this.#run();
  }

  bytes(chunk: Uint8Array): void {
    if (this.#isOver) return;
    if (this.#stalls?.isStale) return this.#forget();
    // Ctrl-C takes back what was read together with it, none of which has begun yet.
    const typed = chunk.subarray(Math.max(0, chunk.lastIndexOf(CTRL_C)));
    if (!this.#editor.push(typed)) return;
    this.#cancelIdle();
    this.#cancelIdle = this.#deps.clock.after(IDLE_MS, () => this.#timeOut());
  }

  /** Ends the session from outside: nothing more is written, and nothing more begins. */
  end(): void {
    this.#isOver = true;
    this.#deps.agent.giveUp();
    this.#cancelIdle();
    this.#stalls?.stop();
    this.#settle((waiter) => waiter.reject(new Interrupted('over')));
  }

  async show(lines: readonly string[]): Promise<void> {
    const all = wrapped(lines);
    for (let first = 0; first < all.length; first += PAGE_LINES) {
      if (first > 0 && (await this.ask(this.t.more)).toLowerCase().startsWith('q')) return;
      this.#refuseIfOver();
      this.#write(`${all.slice(first, first + PAGE_LINES).join('\r\n')}\r\n`);
    }
  }

  async ask(question: string): Promise<string> {
    return this.#ask(wrapped([question]).join('\r\n'), false);
  }

  async #run(): Promise<void> {
    let problem: unknown = null;
    try {
      await this.#login();
      await this.show([this.t.hello]);
      await menu(this, this.#deps.agent);
    } catch (error) {
      if (error instanceof Interrupted && error.by === 'over') return;
      problem = error;
    }
    if (this.#isOver) return;
    this.end();
    this.#deps.over(problem);
  }

  async #login(): Promise<void> {
    await this.show(['', NAME]);
    while (!(await this.#mayEnter())) {
      await pause(this.#deps.clock, REFUSED_PAUSE_MS);
    }
    this.#refuseIfOver();
    this.#isLoggedIn = true;
    this.#stalls = new StallWatch(this.#deps.clock);
  }

  async #mayEnter(): Promise<boolean> {
    const pin = await this.#ask(this.t.pin, true).catch((error: unknown) => {
      if (error instanceof Interrupted && error.by === 'cancelled') return '';
      throw error;
    });
    if (pin === '') return false;
    // A text that cannot be a PIN is no try, because noise would close the gate for everybody.
    const refusal = PIN_PATTERN.test(pin) ? await this.#refusalOf(pin) : this.t.pinShape(PIN_DIGITS);
    if (refusal === null) return true;
    await this.show([refusal]);
    return false;
  }

  async #refusalOf(pin: string): Promise<string | null> {
    // Read before the check: a PIN that is made meanwhile is another one.
    this.#pinId = this.#deps.pin.id;
    const verdict = await this.#deps.pin.check(pin, 'console');
    if (verdict.ok) return null;
    switch (verdict.problem) {
      case 'no-pin':
        return this.t.noPin;
      case 'wait':
        return this.t.pinWait(verdict.waitS);
      case 'wrong':
        return [this.t.pinWrong, ...(verdict.waitS > 0 ? [this.t.pinWait(verdict.waitS)] : [])].join(' ');
      default:
        return verdict satisfies never;
    }
  }

  #ask(question: string, isSecret: boolean): Promise<string> {
    return new Promise((resolve, reject) => {
      this.#refuseIfOver();
      this.#editor.clear();
      this.#editor.isSecret = isSecret;
      this.#question = question;
      this.#waiter = { resolve, reject };
      this.#write(question);
    });
  }

  #typed(typed: Typed): void {
    this.#endIfPinIsNew();
    if (!this.#waiter) {
      if (typed.kind === 'cancelled') this.#deps.agent.giveUp();
      return;
    }
    switch (typed.kind) {
      case 'line':
        return this.#settle((waiter) => waiter.resolve(typed.text));
      case 'garbled':
        return this.#write(`${this.t.garbled}\r\n${this.#question}`);
      case 'cancelled':
        this.#write('^C\r\n');
        return this.#settle((waiter) => waiter.reject(new Interrupted('cancelled')));
      default:
        return typed satisfies never;
    }
  }

  #settle(how: (waiter: Waiter) => void): void {
    const waiter = this.#waiter;
    this.#waiter = null;
    if (waiter) how(waiter);
  }

  /** I2: drops a "yes" that was typed while the agent was held up: whoever typed it may have gone. */
  #forget(): void {
    this.#editor.clear();
    if (this.#waiter) this.#write(`\r\n${this.t.heldUp}\r\n${this.#question}`);
  }

  #timeOut(): void {
    this.#close(this.t.timedOut);
  }

  /** Whoever knew the old PIN is out. */
  #endIfPinIsNew(): void {
    if (this.#isOver || !this.#isLoggedIn || this.#pinId === this.#deps.pin.id) return;
    this.#close(this.t.newPin);
  }

  #close(why: string): void {
    if (this.#isLoggedIn) this.#write(`\r\n${why}\r\n`);
    this.end();
    this.#deps.over(null);
  }

  #refuseIfOver(): void {
    this.#endIfPinIsNew();
    if (this.#isOver) throw new Interrupted('over');
  }

  #write(text: string): void {
    if (!this.#isOver) this.#deps.write(text);
  }
}
