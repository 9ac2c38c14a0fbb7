import type { Cancel, Clock, HistoryEntry } from '@relaygate/shared';
import type { GuardStatus, LastCommand, PressesRequest } from '../../guard/protocol';
import { isOfButton } from '../../runtime/button-command-id';
import type { Log } from '../../runtime/log';
import { problemOf } from '../../runtime/problem';
import { type DeviceClock, wallEpochMs } from '../../runtime/wall-time';
import type { GuardContact } from '../commands/guard-contact';
import { AGENT } from './entries';
import type { History } from './history';

/** How many entries are searched for presses that an agent of this boot has entered. */
const LOOKED_THROUGH = 500;
/** How long after a disk or a guard that did not answer it is tried again. */
const RETRY_MS = 60_000;

export interface ButtonPressesDeps {
  guard: Pick<GuardContact, 'presses'>;
  history: Pick<History, 'enterAction' | 'newest' | 'whenDurable'>;
  bootId: string;
  clock: Clock;
  wallClock: DeviceClock;
  log: Log;
}

/**
 * Enters presses of buttons in the history. The guard acts on them with or without this agent, and remembers them until
 * they are entered.
 */
export class ButtonPresses {
  readonly #deps: ButtonPressesDeps;
  /** When the last press that was seen was; -1: the guard has yet to be asked. */
  #seenMs = -1;
  /** What is in the history and the guard does not know yet. */
  #entered: PressesRequest = {};
  /** How many presses these are. */
  #unconfirmed = 0;
  /** What is entered and this guard may not know: a guard or an agent may have died before. null: nobody has looked since it is there. */
  #found: HistoryEntry[] | null = null;
  /** How many forgotten presses are in the history, or counted there as missing. */
  #forgotten = 0;
  #isEntering = false;
  #isAskedAgain = false;
  #cancelRetry: Cancel = () => {};

  constructor(deps: ButtonPressesDeps) {
    this.#deps = deps;
  }

  /** null: the guard is away. */
  look(status: GuardStatus | null): void {
    const atMs = status?.lastCommands?.findLast(({ commandId }) => isOfButton(commandId))?.atMs ?? 0;
    const isNew = status !== null && atMs > this.#seenMs;
    this.#seenMs = status === null ? -1 : Math.max(atMs, this.#seenMs);
    if (status === null) this.#found = null;
    if (isNew) void this.#enterAll();
  }

  stop(): void {
    this.#cancelRetry();
  }

  /**
   * Enters all presses. A failure is tried again with the next press or the next guard, and after RETRY_MS, because the
   * guard forgets.
   */
  async #enterAll(): Promise<void> {
    this.#isAskedAgain = this.#isEntering;
    if (this.#isEntering) return;
    this.#isEntering = true;
    this.#cancelRetry();
    try {
      while ((await this.#enterNext()) || this.#isAskedAgain) this.#isAskedAgain = false;
    } catch (error) {
      this.#deps.log.warn(`presses of buttons are not entered yet: ${problemOf(error)}`);
      this.#cancelRetry = this.#deps.clock.after(RETRY_MS, () => void this.#enterAll());
    } finally {
      this.#isEntering = false;
    }
  }

  /** Resolves with whether there was anything to enter. */
  async #enterNext(): Promise<boolean> {
    const { guard, history } = this.#deps;
    const { entered } = this.#entered;
    if (entered) {
      // Once the guard hears that a press is entered, it forgets the press.
      await history.whenDurable();
      // The guard forgets the oldest presses first, and those are entered.
      const gone = Math.min((await guard.presses({})).forgotten - this.#forgotten, this.#unconfirmed);
      this.#forgotten += gone;
      this.#unconfirmed -= gone;
      entered.enteredForgotten = this.#forgotten;
    }
    const { presses, forgotten, ...before } = await guard.presses(this.#entered);
    const knownMs = Math.round(before.enteredMs);
    this.#found ??= this.#foundSince(knownMs);
    this.#forgotten = Math.max(this.#forgotten, before.enteredForgotten);
    for (const press of presses) this.#enter(press, this.#found);
    const lastMs = presses.at(-1)?.atMs;
    const gone = this.#found.filter(({ bootMs }) => bootMs > knownMs && bootMs <= (lastMs ?? bootMs));
    const missing = forgotten - this.#forgotten - this.#unconfirmed - gone.length;
    const reason = `presses-missing-${missing}`;
    if (missing > 0) void history.enterAction({ actor: AGENT, kind: 'button', outcome: 'unknown', reason });
    this.#found = this.#found.filter(({ bootMs }) => bootMs > (lastMs ?? bootMs));
    this.#forgotten = forgotten;
    this.#unconfirmed = presses.length;
    const isNew = presses.length > 0 || forgotten > before.enteredForgotten;
    this.#entered = isNew ? { entered: { enteredMs: lastMs ?? before.enteredMs, enteredForgotten: forgotten } } : {};
    return isNew;
  }

  #foundSince(knownMs: number): HistoryEntry[] {
    const { history, bootId } = this.#deps;
    const all = history.newest(LOOKED_THROUGH, Number.POSITIVE_INFINITY);
    const entries = all.filter((entry) => entry.kind === 'button' && entry.bootId === bootId);
    this.#forgotten = 0;
    for (const { reason = '' } of entries) this.#forgotten += Number(/^presses-missing-(\d+)$/.exec(reason)?.[1] ?? 0);
    const found = entries.filter(({ actor, bootMs }) => actor !== AGENT && bootMs >= knownMs);
    // Of two presses that were through in one millisecond the guard knows the first.
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
