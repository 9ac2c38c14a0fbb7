import type { Cancel, Clock, HistoryEntry } from '@relaygate/shared';
import type { GuardStatus, LastCommand, PressesRequest } from '../../guard/protocol';
import { isOfButton } from '../../runtime/button-command-id';
import type { Log } from '../../runtime/log';
import { problemOf } from '../../runtime/problem';
import { type DeviceClock, wallEpochMs } from '../../runtime/wall-time';
import type { GuardContact } from '../commands/guard-contact';
import { AGENT } from './entries';
import type { History } from './history';

/** How many entries are looked through for presses that an agent of this boot has entered. */
const LOOKED_THROUGH = 500;
const MISSING = /^presses-missing-(\d+)$/;
/** After a disk or a guard that did not answer. */
const RETRY_MS = 60_000;

export interface ButtonPressesDeps {
  guard: Pick<GuardContact, 'presses'>;
  history: Pick<History, 'enterAction' | 'newest' | 'whenDurable'>;
  bootId: string;
  clock: Clock;
  wallClock: DeviceClock;
  log: Log;
}

/** Enters in the history what buttons have done: the guard did it, with or without this agent, and remembers it until it is entered. */
export class ButtonPresses {
  readonly #deps: ButtonPressesDeps;
  /** Of the press that was seen last; null: the guard has yet to be asked. */
  #seenMs: number | null = null;
  /** In the history, and the guard does not know it yet. */
  #entered: PressesRequest = {};
  /** How many presses these are; null: this agent has yet to ask its guard. */
  #unconfirmed: number | null = null;
  /** Up to this press. */
  #enteredMs = 0;
  /** So many presses that the guard has forgotten are in the history, or counted there as missing. */
  #forgotten = 0;
  #isEntering = false;
  #isAskedAgain = false;
  #cancelRetry: Cancel = () => {};

  constructor(deps: ButtonPressesDeps) {
    this.#deps = deps;
  }

  /** null: the guard is away. */
  look(status: GuardStatus | null): void {
    if (status === null) {
      this.#seenMs = null;
      return;
    }
    const atMs = status.lastCommands?.findLast(({ commandId }) => isOfButton(commandId))?.atMs ?? 0;
    if (this.#seenMs !== null && atMs <= this.#seenMs) return;
    this.#seenMs = atMs;
    void this.#enterAll();
  }

  stop(): void {
    this.#cancelRetry();
  }

  /** What fails is tried again with the next press or the next guard, and after RETRY_MS: the guard forgets. */
  async #enterAll(): Promise<void> {
    this.#isAskedAgain = this.#isEntering;
    if (this.#isEntering) return;
    this.#isEntering = true;
    this.#cancelRetry();
    try {
      do {
        this.#isAskedAgain = false;
        while (await this.#enterNext());
      } while (this.#isAskedAgain);
    } catch (error) {
      this.#deps.log.warn(`presses of buttons are not entered yet: ${problemOf(error)}`);
      this.#cancelRetry = this.#deps.clock.after(RETRY_MS, () => void this.#enterAll());
    } finally {
      this.#isEntering = false;
    }
  }

  /** Whether there was anything. */
  async #enterNext(): Promise<boolean> {
    const { guard, history } = this.#deps;
    // A guard that hears of it forgets it.
    if (this.#entered.entered) await history.whenDurable();
    const { presses, forgotten, ...before } = await guard.presses(this.#entered);
    const found = this.#unconfirmed === null ? this.#foundSince(Math.round(before.enteredMs)) : [];
    this.#entered = {};
    this.#forgotten = Math.max(this.#forgotten, before.enteredForgotten);
    for (const press of presses.filter(({ atMs }) => atMs > this.#enteredMs)) this.#enter(press, found);
    // The oldest are forgotten first, and these are entered.
    const missing = forgotten - this.#forgotten - (this.#unconfirmed ?? 0) - found.length;
    const reason = `presses-missing-${missing}`;
    if (missing > 0) void history.enterAction({ actor: AGENT, kind: 'button', outcome: 'unknown', reason });
    this.#forgotten = forgotten;
    this.#unconfirmed = presses.length;
    if (presses.length === 0 && forgotten <= before.enteredForgotten) return false;
    this.#enteredMs = presses.at(-1)?.atMs ?? before.enteredMs;
    this.#entered = { entered: { enteredMs: this.#enteredMs, enteredForgotten: forgotten } };
    return true;
  }

  /** What agents before this one have entered, and the guard does not know: each may have died before it could say so. */
  #foundSince(knownMs: number): HistoryEntry[] {
    const { history, bootId } = this.#deps;
    const all = history.newest(LOOKED_THROUGH, Number.POSITIVE_INFINITY);
    const entries = all.filter((entry) => entry.kind === 'button' && entry.bootId === bootId);
    for (const { reason } of entries) this.#forgotten += Number(MISSING.exec(reason ?? '')?.[1] ?? 0);
    const found = entries.filter(({ actor, bootMs }) => actor !== AGENT && bootMs >= knownMs);
    // Of two that were through in one millisecond the guard knows the first.
    return found[0]?.bootMs === knownMs ? found.slice(1) : found;
  }

  #enter({ numOutput, by: actor = 'button', outcome, reason, atMs }: LastCommand, found: HistoryEntry[]): void {
    const { history, clock, wallClock } = this.#deps;
    const bootMs = Math.round(atMs);
    const at = found.findIndex((one) => one.actor === actor && one.numOutput === numOutput && one.bootMs === bootMs);
    if (at >= 0) return void found.splice(at, 1);
    const epochMs = wallEpochMs(wallClock);
    const when = { bootMs, atMs: epochMs === null ? null : epochMs - (clock.nowMs() - atMs) };
    void history.enterAction({ actor, kind: 'button', numOutput, outcome, reason, when });
  }
}
