import type { Cancel, Clock } from '@relaygate/shared';
import type { Level } from '@relaygate/shared/device';
import type { Cause } from '../../runtime/cause';
import { cause } from '../../runtime/problem';
import { InputChanges } from '../input-changes';
import type { InputEdge, InputReading } from '../relay-driver';

export interface PollOptions {
  /** Numbers of inputs. */
  watched: readonly number[];
  /** How often a board with one of them is asked. */
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

/** Who asks, and who is told. */
interface InputCalls {
  /** Asks a board for all its inputs, in turn with the orders; a poll comes last. */
  ask(board: number, isPoll: boolean): Promise<Found | { kind: 'failed'; problem: Cause }>;
  tell(edges: readonly InputEdge[]): void;
}

/**
 * Inputs of boards on a bus. A board with inputs that are watched is asked again and again; an edge has the time of the
 * question before the one that found it, and what is shorter than the time between the two is missed.
 *
 * An edge is told at most `everyMs`, one question of each board, and the orders in between after it was. A question takes its
 * bytes on the wire, and all of `answerMs` if the board is silent. It waits for the end of a pulse that it could make longer.
 */
export class SerialInputs {
  readonly #options: PollOptions;
  readonly #calls: InputCalls;
  readonly #changes: InputChanges;
  /** The first input of each board, and behind the last. */
  readonly #firsts: readonly number[];
  /** What ends the waits of the boards; null: they are away. */
  #cancels: Map<number, Cancel> | null = null;

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
    const result = await this.#look(board, false);
    if (result.kind === 'failed') return result;
    const level = result.levels[input - (this.#firsts[board] ?? 0)];
    return level ? { kind: 'read', level } : { kind: 'failed', problem: cause('not-understood', {}) };
  }

  /** The boards are there. */
  start(): void {
    this.stop();
    const cancels = new Map<number, Cancel>();
    this.#cancels = cancels;
    const boards = new Set(this.#options.watched.map((input) => this.#boardOf(input)));
    for (const board of boards) if (board !== null) this.#poll(board, cancels);
  }

  /** They are away: from now on inputs may change without an edge. */
  stop(): void {
    for (const cancel of this.#cancels?.values() ?? []) cancel();
    this.#cancels = null;
    this.#changes.forget();
  }

  /** null: no board has it. */
  #boardOf(input: number): number | null {
    const board = this.#firsts.findIndex((first) => first > input) - 1;
    return board < 0 ? null : board;
  }

  #poll(board: number, cancels: Map<number, Cancel>): void {
    const { clock, everyMs } = this.#options;
    const dueMs = clock.nowMs() + everyMs;
    void this.#look(board, true).then(() => {
      if (this.#cancels !== cancels) return;
      const wait = clock.after(Math.max(0, dueMs - clock.nowMs()), () => this.#poll(board, cancels));
      cancels.set(board, wait);
    });
  }

  async #look(board: number, isPoll: boolean): ReturnType<InputCalls['ask']> {
    const { clock } = this.#options;
    const [cancels, askedMs] = [this.#cancels, clock.nowMs()];
    const result = await this.#calls.ask(board, isPoll);
    if (cancels === null || this.#cancels !== cancels) return result;
    const { levels, atMs } = result.kind === 'found' ? result : { levels: [], atMs: askedMs };
    const [first = 0, end = first] = this.#firsts.slice(board);
    const found = Array.from({ length: end - first }, (_, n) => [first + n, levels[n] ?? null] as const);
    const edges = this.#changes.edgesOf(new Map(found), atMs);
    // Whoever has asked has its answer first.
    if (edges.length > 0) clock.after(0, () => this.#cancels === cancels && this.#calls.tell(edges));
    return result;
  }
}
