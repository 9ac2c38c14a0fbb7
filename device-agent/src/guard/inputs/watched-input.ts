import type { Cancel, Clock } from '@relaygate/shared';
import type { InputSettings, Level } from '@relaygate/shared/device';
import { DEBOUNCE_MS, FLAPPING_MS } from '@relaygate/shared/device-limits';
import type { InputEdge } from '../../relay/relay-driver';
import { afterEdge, afterReading, type Debounced, type DebounceStep, firstSeen, type LevelChange } from './debounce';

/** How much later an input that could not be read is read again. */
const READ_AGAIN_MS = 1_000;
/** If a timer is later than this, the process was held up. The edges of that time come within HEARD_MS. */
const HELD_UP_MS = 10;
const HEARD_MS = 20;
/** An input that changes more often flaps too, however slowly, because each change goes out to many. */
const MAX_CHANGES = 20;
const CHANGES_WITHIN_MS = 5_000;

export interface WatchedInputDeps {
  /** Timers may be late: the times are those of the edges. */
  slackClock: Clock;
  /** What it shows now; null: it cannot be read. */
  read(numInput: number): Promise<Level | null>;
  /** null: nobody knows what it shows any more. */
  changed(change: LevelChange | null): void;
}

/** Why nobody knows what an input shows, though its board is there. */
export type InputProblem = 'flapping' | 'unread';

/** What one input of the board shows: its edges without their bouncing. */
export class WatchedInput {
  readonly settings: InputSettings;
  readonly #deps: WatchedInputDeps;
  #input: Debounced | null = null;
  #problem: InputProblem | null = null;
  #changedMs: number | null = null;
  #hasChanged = false;
  /** Since when it has been bouncing; null: it is quiet. */
  #bouncingMs: number | null = null;
  /** When it has changed of late. */
  #changes: readonly number[] = [];
  #cancel: Cancel = () => {};

  constructor(settings: InputSettings, deps: WatchedInputDeps) {
    this.settings = settings;
    this.#deps = deps;
  }

  /** Closed or pressed; null: nobody knows. */
  get isActive(): boolean | null {
    const shown = this.#input?.shown ?? null;
    return shown === null ? null : shown === (this.settings.activeLevel ?? 'low');
  }

  /** Since when it shows what it shows, on the guard's clock; null: not seen yet. */
  get changedMs(): number | null {
    return this.isActive === null ? null : this.#changedMs;
  }

  /** Whether it has changed since it was first seen after the start. */
  get hasChanged(): boolean {
    return this.#hasChanged;
  }

  get problem(): InputProblem | null {
    return this.#problem;
  }

  /** Begins to watch, or watches anew: it is read, as it may show something else than before. */
  look(): void {
    this.#setUnknown(this.#problem);
    const { slackClock, read } = this.#deps;
    let isOver = false;
    this.#cancel = () => {
      isOver = true;
    };
    void read(this.settings.numInput).then((level) => {
      if (isOver) return;
      if (level === null) return this.unread();
      this.#begin(level, slackClock.nowMs());
    });
  }

  /** Its board is away, or the guard ends. */
  forget(): void {
    this.#setUnknown(null);
  }

  /** The input does not answer, though its board is there. */
  unread(): void {
    this.#setUnknown('unread');
    this.#cancel = this.#deps.slackClock.after(READ_AGAIN_MS, () => this.look());
  }

  edge({ level, atMs }: Pick<InputEdge, 'level' | 'atMs'>): void {
    // A reading that has begun may be older.
    if (this.#input === null) return this.#begin(level, atMs);
    const step = afterEdge(this.#input, level, atMs, this.#debounceMs);
    if (atMs - this.#input.sinceMs >= this.#debounceMs) this.#isQuiet();
    this.#bouncingMs ??= atMs;
    this.#take(step);
    if (atMs - this.#bouncingMs > FLAPPING_MS) this.#flaps();
    this.#settleLater();
  }

  #begin(level: Level, atMs: number): void {
    this.#problem = null;
    this.#input = firstSeen(level, atMs);
    this.#settleLater();
  }

  #take([input, change]: DebounceStep): void {
    const before = this.#input?.shown ?? null;
    this.#input = input;
    if (change === null) return;
    const { atMs } = change;
    this.#changedMs = atMs;
    this.#hasChanged ||= before !== null;
    this.#changes = [...this.#changes.filter((earlierMs) => earlierMs > atMs - CHANGES_WITHIN_MS), atMs];
    this.#deps.changed(change);
    if (this.#changes.length > MAX_CHANGES) this.#flaps();
  }

  #settleLater(): void {
    const input = this.#input;
    if (input === null) return;
    const dueMs = Math.max(this.#deps.slackClock.nowMs(), input.sinceMs + this.#debounceMs);
    this.#after(dueMs, (nowMs) => {
      // A process that was held up gets the edges of that time only after its timers.
      if (nowMs - dueMs > HELD_UP_MS) this.#after(nowMs + HEARD_MS, () => void this.#settle(input));
      else void this.#settle(input);
    });
  }

  #after(dueMs: number, run: (nowMs: number) => void): void {
    const { slackClock } = this.#deps;
    this.#cancel();
    this.#cancel = slackClock.after(Math.max(0, dueMs - slackClock.nowMs()), () => run(slackClock.nowMs()));
  }

  async #settle(input: Debounced): Promise<void> {
    const { slackClock, read } = this.#deps;
    const level = await read(this.settings.numInput);
    // An edge has come meanwhile, or the board has gone.
    if (this.#input !== input) return;
    if (level === null) return this.unread();
    if (level === input.level) this.#isQuiet();
    this.#take(afterReading(input, level, slackClock.nowMs()));
    if (level !== input.level || this.#problem === 'flapping') this.#settleLater();
  }

  #isQuiet(): void {
    this.#bouncingMs = null;
    this.#problem = null;
  }

  /** Goes on watching: what it shows next counts as nobody's press. */
  #flaps(): void {
    if (this.#problem === 'flapping') return;
    this.#problem = 'flapping';
    this.#changes = [];
    if (this.#input) this.#input = { ...this.#input, shown: null };
    this.#deps.changed(null);
  }

  #setUnknown(problem: InputProblem | null): void {
    const isNews = this.#input !== null || this.#problem !== problem;
    this.#cancel();
    this.#bouncingMs = null;
    this.#input = null;
    this.#problem = problem;
    if (isNews) this.#deps.changed(null);
  }

  /** An input that flaps is known again once it has been quiet for long. */
  get #debounceMs(): number {
    return this.#problem === 'flapping' ? FLAPPING_MS : (this.settings.debounceMs ?? DEBOUNCE_MS);
  }
}
