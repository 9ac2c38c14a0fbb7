import { type Cancel, type Clock, KEEP_CHECKPOINT_MS } from '@relaygate/shared';
import type { Log } from '../log/log';
import type { Checkpoint } from './checkpoint';

/** Where the newest checkpoint is kept, outside the database. */
export interface CheckpointKeeper {
  /** Undefined: none was kept, or it cannot be read. */
  last: Checkpoint | undefined;
  /** Durable when it resolves; rejects if it cannot be written. `signal` ends it, but a disk that hangs may hold it for ever. */
  keep(checkpoint: Checkpoint, signal: AbortSignal): Promise<void>;
}

interface Attempt {
  checkpoint: Checkpoint;
  /** Never rejects. */
  ended: Promise<void>;
  giveUp(): void;
}

/** Gives the newest checkpoint to its keeper, which may hang: one attempt at a time, each with a time-out. */
export class CheckpointKeeping {
  readonly #keeper: CheckpointKeeper | undefined;
  readonly #clock: Clock;
  readonly #log: Log;
  /** Until it is kept. */
  #newest: Checkpoint | undefined;
  #attempt: Attempt | undefined;
  #isStopped = false;
  #isFailing = false;

  constructor(keeper: CheckpointKeeper | undefined, clock: Clock, log: Log) {
    this.#keeper = keeper;
    this.#clock = clock;
    this.#log = log;
  }

  /** The last attempt has failed. */
  get isFailing(): boolean {
    return this.#isFailing;
  }

  keep(checkpoint: Checkpoint): void {
    this.#newest = checkpoint;
    this.retry();
  }

  /** Tries again what is not kept yet. */
  retry(): void {
    const [keeper, checkpoint] = [this.#keeper, this.#newest];
    if (!keeper || !checkpoint || this.#isStopped) return;
    if (this.#attempt) this.#log.error({}, `${NOT_KEPT}: the last attempt has not ended`);
    else this.#attempt = this.#begin(keeper, checkpoint);
  }

  /** Begins nothing any more, and waits for nothing. */
  stop(): void {
    this.#isStopped = true;
    this.#attempt?.giveUp();
  }

  /** Resolves when no attempt runs: the newest checkpoint is kept, or its attempt has failed. */
  async kept(): Promise<void> {
    const before = this.#attempt;
    await before?.ended;
    if (before && before.checkpoint !== this.#newest) this.retry();
    await this.#attempt?.ended;
  }

  #begin(keeper: CheckpointKeeper, checkpoint: Checkpoint): Attempt {
    const controller = new AbortController();
    let cancel: Cancel = () => {};
    const giveUp = (): void => {
      cancel();
      this.#isFailing = true;
      controller.abort(new Error('it takes too long'));
      this.#log.error({}, `${NOT_KEPT}: it takes too long`);
    };
    const ended = keeper
      .keep(checkpoint, controller.signal)
      .then(() => {
        this.#isFailing = false;
        if (this.#newest === checkpoint) this.#newest = undefined;
      })
      .catch((err: unknown) => {
        this.#isFailing = true;
        if (!controller.signal.aborted) this.#log.error({ err }, `${NOT_KEPT}, tried again in a minute`);
      })
      .finally(() => {
        cancel();
        this.#attempt = undefined;
      });
    cancel = this.#clock.after(KEEP_CHECKPOINT_MS, giveUp);
    return { checkpoint, ended, giveUp };
  }
}

const NOT_KEPT = 'audit checkpoint not written to its file';
