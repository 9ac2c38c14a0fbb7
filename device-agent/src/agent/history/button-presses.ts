import type { Cancel, Clock } from '@relaygate/shared';
import type { GuardStatus, Press } from '../../guard/protocol';
import type { Log } from '../../runtime/log';
import { problemOf } from '../../runtime/problem';
import { type DeviceClock, wallEpochMs } from '../../runtime/wall-time';
import type { GuardContact } from '../commands/guard-contact';
import { AGENT } from './entries';
import type { History } from './history';

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
 * Enters presses of buttons in the history, in the order of their numbers, and how many the guard has forgotten between
 * them. The guard acts on them with or without this agent.
 */
export class ButtonPresses {
  readonly #deps: ButtonPressesDeps;
  /** The last press that is in the history, or counted there as missing. */
  #entered: number;
  /** The same for good: what the guard takes for entered, it offers to no later agent. */
  #durable = 0;
  /** The last press that was seen; -1: the guard has yet to be asked. */
  #seen = -1;
  #isEntering = false;
  #isAskedAgain = false;
  #cancelRetry: Cancel = () => {};

  constructor(deps: ButtonPressesDeps) {
    this.#deps = deps;
    const entries = deps.history.newest(Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY);
    const last = entries.findLast(({ pressSeq, bootId }) => pressSeq !== undefined && bootId === deps.bootId);
    this.#entered = last?.pressSeq ?? 0;
  }

  /** null: the guard is away. */
  look(status: GuardStatus | null): void {
    const last = status?.lastPressSeq ?? -1;
    const isNew = last > this.#seen;
    if (status === null || isNew) this.#seen = last;
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
    const { entered, upTo, presses } = await guard.presses({ entered: this.#durable });
    if (upTo <= entered) return false;
    // A guard whose journal was lost, or is an older version's, begins behind all that it may not know.
    this.#entered = Math.max(entered, this.#entered);
    for (const press of presses) if (press.pressSeq > this.#entered) this.#enter(press);
    this.#countMissing(upTo);
    await history.whenDurable();
    this.#durable = this.#entered;
    return true;
  }

  #enter({ numOutput, by: actor = 'button', outcome, reason, atMs, pressSeq }: Press): void {
    const { history, clock, wallClock } = this.#deps;
    this.#countMissing(pressSeq - 1);
    const epochMs = wallEpochMs(wallClock);
    const when = { bootMs: Math.round(atMs), atMs: epochMs === null ? null : epochMs - (clock.nowMs() - atMs) };
    void history.enterAction({ actor, kind: 'button', numOutput, outcome, reason, pressSeq, when });
    this.#entered = pressSeq;
  }

  /** Enters how many presses up to that one the guard has forgotten. */
  #countMissing(pressSeq: number): void {
    const missing = pressSeq - this.#entered;
    if (missing <= 0) return;
    const reason = `presses-missing-${missing}`;
    void this.#deps.history.enterAction({ actor: AGENT, kind: 'button', outcome: 'unknown', reason, pressSeq });
    this.#entered = pressSeq;
  }
}
