import type { Cancel, Clock } from '@relaygate/shared';
import type { GuardStatus, LastCommand, PressesRequest } from '../../guard/protocol';
import { isOfButton } from '../../runtime/button-command-id';
import type { Log } from '../../runtime/log';
import { problemOf } from '../../runtime/problem';
import { type DeviceClock, wallEpochMs } from '../../runtime/wall-time';
import type { GuardContact } from '../commands/guard-contact';
import { AGENT } from './entries';
import type { History } from './history';

/** How many entries of one output are looked through for a press that an agent of this boot has entered. */
const LOOKED_THROUGH = 500;
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
  #isEntering = false;
  #isAskedAgain = false;
  /** An agent before this one may have died before its guard knew what was entered. */
  #isFirst = true;
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
    const last = status.lastCommands?.findLast(({ commandId }) => isOfButton(commandId));
    const atMs = last?.atMs ?? 0;
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
    const { enteredForgotten } = before;
    this.#entered = {};
    const isFirst = this.#isFirst;
    this.#isFirst = false;
    if (presses.length === 0 && forgotten <= enteredForgotten) return false;
    if (forgotten > enteredForgotten) this.#enterMissing(forgotten - enteredForgotten, isFirst);
    for (const press of presses) this.#enter(press);
    const enteredMs = presses.at(-1)?.atMs ?? before.enteredMs;
    this.#entered = { entered: { enteredMs, enteredForgotten: forgotten } };
    return true;
  }

  #enterMissing(count: number, mayBeEntered: boolean): void {
    const { history, bootId } = this.#deps;
    const reason = `presses-missing-${count}`;
    const entries = mayBeEntered ? history.newest(LOOKED_THROUGH, Number.POSITIVE_INFINITY) : [];
    const last = entries.findLast(
      (entry) => entry.actor === AGENT && entry.kind === 'button' && entry.bootId === bootId,
    );
    if (last?.reason === reason) return;
    void history.enterAction({ actor: AGENT, kind: 'button', outcome: 'unknown', reason });
  }

  #enter({ numOutput, by, outcome, reason, atMs }: LastCommand): void {
    const { history, bootId, clock, wallClock } = this.#deps;
    const bootMs = Math.round(atMs);
    const actor = by ?? 'button';
    const isEntered = history
      .newest(LOOKED_THROUGH, Number.POSITIVE_INFINITY, numOutput)
      .some((entry) => entry.actor === actor && entry.bootId === bootId && entry.bootMs === bootMs);
    if (isEntered) return;
    const epochMs = wallEpochMs(wallClock);
    const when = { bootMs, atMs: epochMs === null ? null : epochMs - (clock.nowMs() - atMs) };
    void history.enterAction({ actor, kind: 'button', numOutput, outcome, reason, when });
  }
}
