import type { Cancel, Clock } from '@relaygate/shared';
import type { Level } from '@relaygate/shared/device';
import type { Cause } from '../../runtime/cause';
import { cause } from '../../runtime/problem';
import { InputChanges, type Seen } from '../input-changes';
import type { InputReading } from '../relay-driver';

export interface PollOptions {
  /** Numbers of inputs. */
  watched: readonly number[];
  /** How often a board with watched inputs is asked. */
  everyMs: number;
  /** Its timers may be late. */
  clock: Clock;
}

/** The answer to a question that began at `atMs`. */
interface Found {
  kind: 'found';
  atMs: number;
  levels: readonly Level[];
}

type Answer = Found | { kind: 'failed'; problem: Cause };

/** Asks the boards, and gets what was found. */
interface InputCalls {
  /** Asks a board for all its inputs, between orders; a poll comes last. Calls `begins` with the first byte. */
  ask(board: number, isPoll: boolean, begins: () => void): Promise<Answer>;
  report(seen: Seen): void;
}

/**
 * Inputs of boards on a bus. A board with watched inputs is asked again and again. An edge has the time of the question
 * before the one that found it; a change that is shorter than the time between two questions is missed. Whoever reads such
 * an input gets the answer to the next question, which comes at once: one question for all that wait. An edge is reported
 * at most this long after it was: `everyMs`, one question of each board, and the orders in between. A question takes its
 * bytes on the wire, and all of `answerMs` if the board is silent. It waits for the end of a pulse that it could make
 * longer. A board's inputs are unread once three questions in a row have failed, and none was answered for 1 s. A board
 * that was silent three times is not asked for 1 s (`ModbusUnits`); each `everyMs` within that counts as a failed question.
 */
export class SerialInputs {
  readonly #options: PollOptions;
  readonly #calls: InputCalls;
  readonly #changes: InputChanges;
  /** The first input of each board, and behind the last. */
  readonly #firsts: readonly number[];
  /** Ends the waits for the next question to each board; null: the boards are away. */
  #cancels: Map<number, Cancel> | null = null;
  /** Readers that wait for the answer to a question that has not begun, by board. */
  readonly #readers = new Map<number, ((answer: Answer) => void)[]>();

  /** `counts`: how many inputs each board has. */
  constructor(counts: readonly number[], options: PollOptions, calls: InputCalls) {
    this.#options = options;
    this.#calls = calls;
    this.#changes = new InputChanges(options.watched);
    this.#firsts = [0, ...counts].map((_count, board) => counts.slice(0, board).reduce((sum, count) => sum + count, 0));
  }

  async read(input: number): Promise<InputReading> {
    const board = this.#boardOf(input);
    if (board === null) return { kind: 'failed', problem: cause('no-input', { input }) };
    const isPolled = this.#cancels !== null && this.#options.watched.includes(input);
    const result = await (isPolled ? this.#nextAnswer(board) : this.#look(board, false));
    if (result.kind === 'failed') return result;
    const level = result.levels[input - (this.#firsts[board] ?? 0)];
    return level ? { kind: 'read', level } : { kind: 'failed', problem: cause('not-understood', {}) };
  }

  /** The boards are there. The first question comes after this call. */
  start(): void {
    this.#cancels = new Map();
    const boards = new Set(this.#options.watched.map((input) => this.#boardOf(input)));
    for (const board of boards) if (board !== null) this.#pollAfter(0, board, this.#cancels);
  }

  /** The boards are away: from now on inputs may change without an edge. */
  stop(problem: Cause): void {
    for (const cancel of this.#cancels?.values() ?? []) cancel();
    this.#cancels = null;
    this.#changes.forget();
    for (const board of this.#readers.keys()) this.#answer(this.#readersOf(board), { kind: 'failed', problem });
  }

  /** null: no board has it. */
  #boardOf(input: number): number | null {
    const board = this.#firsts.findIndex((first) => first > input) - 1;
    return board < 0 ? null : board;
  }

  /** The answer to a question that begins after this call, so that it is not older. */
  #nextAnswer(board: number): Promise<Answer> {
    return new Promise((resolve) => {
      const waiting = this.#readers.get(board);
      waiting?.push(resolve);
      if (waiting) return;
      this.#readers.set(board, [resolve]);
      // One question serves all who read in the same turn of the event loop. A question under way is followed by the next
      // one.
      if (this.#cancels?.has(board)) this.#pollAfter(0, board, this.#cancels);
    });
  }

  #pollAfter(waitMs: number, board: number, cancels: Map<number, Cancel>): void {
    cancels.get(board)?.();
    const wait = this.#options.clock.after(Math.max(0, waitMs), () => this.#poll(board, cancels));
    cancels.set(board, wait);
  }

  #poll(board: number, cancels: Map<number, Cancel>): void {
    const { clock, everyMs } = this.#options;
    const dueMs = clock.nowMs() + everyMs;
    cancels.delete(board);
    void this.#look(board, true).then(() => {
      if (this.#cancels !== cancels) return;
      // A reader may have come after the question had begun.
      this.#pollAfter(this.#readers.has(board) ? 0 : dueMs - clock.nowMs(), board, cancels);
    });
  }

  async #look(board: number, isPoll: boolean): Promise<Answer> {
    const { clock } = this.#options;
    const [cancels, askedMs] = [this.#cancels, clock.nowMs()];
    let readers: ((answer: Answer) => void)[] = [];
    const result = await this.#calls.ask(board, isPoll, () => {
      readers = this.#readersOf(board);
    });
    this.#answer(readers, result);
    if (cancels === null || this.#cancels !== cancels) return result;
    const { levels, atMs } = result.kind === 'found' ? result : { levels: [], atMs: askedMs };
    const [first = 0, end = first] = this.#firsts.slice(board);
    const found = Array.from({ length: end - first }, (_, n) => [first + n, levels[n] ?? null] as const);
    const seen = this.#changes.look(new Map(found), atMs);
    // Readers get their answer first.
    if (seen.edges.length + seen.unread.length > 0)
      clock.after(0, () => this.#cancels === cancels && this.#calls.report(seen));
    return result;
  }

  /** Removes the readers that wait, and returns them. */
  #readersOf(board: number): ((answer: Answer) => void)[] {
    const readers = this.#readers.get(board) ?? [];
    this.#readers.delete(board);
    return readers;
  }

  #answer(readers: readonly ((answer: Answer) => void)[], answer: Answer): void {
    for (const resolve of readers) resolve(answer);
  }
}
