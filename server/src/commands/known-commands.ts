import { type Clock, MAX_KNOWN_COMMANDS } from '@relaygate/shared';

interface Known {
  attempt: number;
  isTaken: boolean;
  untilMs: number;
}

/**
 * The ids of commands that other nodes have sent here, so that a repeated message is noticed (I1). Each is remembered for
 * `keptMs`, by when a repetition is refused as too late.
 */
export class KnownCommands {
  readonly #clock: Clock;
  readonly #keptMs: number;
  /** The oldest first. */
  readonly #known = new Map<string, Known>();

  constructor(clock: Clock, keptMs: number) {
    this.#clock = clock;
    this.#keptMs = keptMs;
  }

  /**
   * Notes an attempt as taken. `repeated`: this attempt or a later one came already, or an earlier one was taken. `full`: there
   * is no room to remember another id.
   */
  take(commandId: string, attempt: number): 'new' | 'repeated' | 'full' {
    const nowMs = this.#clock.nowMs();
    for (const [id, { untilMs }] of this.#known) {
      if (untilMs > nowMs) break;
      this.#known.delete(id);
    }
    const known = this.#known.get(commandId);
    if (known && (known.isTaken || attempt <= known.attempt)) return 'repeated';
    if (!known && this.#known.size >= MAX_KNOWN_COMMANDS) return 'full';
    this.#known.delete(commandId);
    this.#known.set(commandId, { attempt, isTaken: true, untilMs: nowMs + this.#keptMs });
    return 'new';
  }

  /** The last attempt was not taken after all: a later one may come. */
  giveBack(commandId: string): void {
    const known = this.#known.get(commandId);
    if (known) known.isTaken = false;
  }

  get size(): number {
    return this.#known.size;
  }
}
