import type { KeyObject } from 'node:crypto';
import {
  type Cancel,
  CHECKPOINT_EVERY_MS,
  type Clock,
  isoTime,
  KEEP_LAST_CHECKPOINT_MS,
  type WallClock,
} from '@relaygate/shared';
import type { Log } from '../log/log';
import type { WriterHead } from './audit-record';
import type { CheckpointStore } from './audit-store';
import { type Checkpoint, headsText, newestCheckpoint } from './checkpoint';
import { type CheckpointKeeper, CheckpointKeeping } from './checkpoint-keeping';

export interface CheckpointsDeps {
  store: CheckpointStore;
  key: KeyObject;
  /** Undefined: the log alone has them, as in the simulation. */
  keeper?: CheckpointKeeper | undefined;
  clock: Clock;
  wallClock: WallClock;
  log: Log;
}

/**
 * Appends a checkpoint in each minute in which any program has appended something, and when the server stops, unless another node has
 * appended one since. It also keeps the newest one in a file and in the log, so that records cannot be cut off unnoticed by somebody who
 * reaches the database only.
 */
export class Checkpoints {
  readonly #deps: CheckpointsDeps;
  readonly #keeping: CheckpointKeeping;
  /** The heads in the newest checkpoint. */
  #held: readonly WriterHead[];
  #cancel: Cancel = () => {};
  #running: Promise<void> | undefined;
  #isStopped = false;
  /** Nobody waits for the last one any more. */
  #isOver = false;

  constructor(deps: CheckpointsDeps) {
    this.#deps = deps;
    this.#keeping = new CheckpointKeeping(deps.keeper, deps.clock, deps.log);
    this.#held = deps.keeper?.last?.heads ?? [];
  }

  /** The file lacks the newest checkpoint, because the last try to write it failed. */
  get isNotKept(): boolean {
    return this.#keeping.isFailing;
  }

  start(): void {
    this.#cancel = this.#deps.clock.after(CHECKPOINT_EVERY_MS, () => {
      this.#running = this.#check().then(() => {
        if (!this.#isStopped) this.start();
      });
    });
  }

  /** Makes a last checkpoint, but waits only briefly: the database or the file may hang. Never rejects. */
  stop(): Promise<void> {
    this.#isStopped = true;
    this.#cancel();
    return new Promise((resolve) => {
      const over = (): void => {
        cancel();
        this.#isOver = true;
        this.#keeping.stop();
        resolve();
      };
      const cancel = this.#deps.clock.after(KEEP_LAST_CHECKPOINT_MS, over);
      void this.#last().then(over);
    });
  }

  async #last(): Promise<void> {
    await this.#running;
    if (this.#isOver) return;
    await this.#check();
    await this.#keeping.kept();
  }

  async #check(): Promise<void> {
    const { store, key, wallClock, log } = this.#deps;
    try {
      const heads = (await store.auditHeads()) ?? [];
      if (heads.every((head) => this.#holds(head))) return this.#keeping.retry();
      const checkpoint = (await this.#ofAnother(heads)) ?? (await store.appendCheckpoint(key, wallClock.epochMs()));
      this.#held = checkpoint.heads;
      const { atMs, keyId, mac } = checkpoint;
      log.info({ at: isoTime(atMs), heads: headsText(checkpoint.heads), keyId, mac }, 'audit checkpoint');
      this.#keeping.keep(checkpoint);
    } catch (err) {
      log.warn({ err }, `${NOT_WRITTEN}${this.#isStopped ? ' when the server stopped' : ', tried again in a minute'}`);
    }
  }

  /**
   * The checkpoint of another node, if that holds all records: nodes that append one behind those of the others would never end.
   * Undefined if the database was put back to before the checkpoint that this node has kept.
   */
  async #ofAnother(heads: readonly WriterHead[]): Promise<Checkpoint | undefined> {
    const { store, key } = this.#deps;
    const isPutBack = this.#held.some(
      (held) =>
        !heads.some(({ writer, seq, hash }) => writer === held.writer && (seq > held.seq || hash === held.hash)),
    );
    const newest = isPutBack ? undefined : await store.newestRecord();
    return newest && newestCheckpoint(key, newest, heads);
  }

  #holds({ writer, seq, hash }: WriterHead): boolean {
    return this.#held.some((head) => head.writer === writer && head.seq === seq && head.hash === hash);
  }
}

const NOT_WRITTEN = 'audit checkpoint not written';
