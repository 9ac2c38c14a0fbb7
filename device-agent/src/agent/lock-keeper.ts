import { type Cancel, type Clock, RelaygateError } from '@relaygate/shared';
import type { Files } from '../files/files';
import { AnswerLostError } from '../local/request-client';
import { FaultSlot } from '../program/fault-slot';
import type { Log } from '../program/log';
import { problemOf } from '../program/problem';
import { type Fault, fault } from '../words/faults/fault';
import type { GuardContact } from './guard-contact';
import type { History, PlannedDeed } from './history/history';
import { LOCK_KINDS } from './history/kinds';
import type { LockRequest, UnlockRequest } from './local-messages/locks';
import { type KeptLock, type ReadLocks, textOfLocks } from './locks-file';

/** How often a file that could not be written is tried again. */
const SAVE_AGAIN_MS = 60_000;

export interface LockKeeperPorts {
  files: Files;
  clock: Clock;
  path: string;
  bootId: string;
  guard: Pick<GuardContact, 'lock'>;
  history: Pick<History, 'planned' | 'reconcilePlanned'>;
  log: Log;
  /** Locks or `faults` have changed; `ended`: those whose time is over now. */
  onChange(ended: readonly KeptLock[]): void;
}

/**
 * The maintenance locks. One is entered in the history and durable first, then in force in the guard, and only then confirmed. A change that cannot be
 * saved does not happen; one that has ended is saved too, or a reboot would begin it anew.
 */
export class LockKeeper {
  readonly #ports: LockKeeperPorts;
  #locks: readonly KeptLock[];
  /** Of the history, for which the file was last changed; null: it does not say. */
  #entrySeq: number | null;
  readonly #readFault: Fault | null;
  readonly #saveFault: FaultSlot;
  #mustSave: boolean;
  #changes: Promise<unknown> = Promise.resolve();
  #cancelWait: Cancel = () => {};
  #cancelRetry: Cancel = () => {};

  constructor({ locks, mustSave, entrySeq, fault: readFault }: ReadLocks, ports: LockKeeperPorts) {
    this.#locks = locks;
    this.#entrySeq = entrySeq;
    this.#mustSave = mustSave;
    this.#readFault = readFault;
    this.#ports = ports;
    this.#saveFault = new FaultSlot(ports.log, () => ports.onChange([]));
  }

  /** Those whose time is not over, as every guard is to have them. */
  get locks(): readonly KeptLock[] {
    const nowMs = this.#ports.clock.nowMs();
    return this.#locks.filter(({ untilMs }) => nowMs < untilMs);
  }

  get faults(): Fault[] {
    return [...(this.#readFault === null ? [] : [this.#readFault]), ...this.#saveFault.list];
  }

  start(): void {
    if (this.#entrySeq !== null) this.#ports.history.reconcilePlanned(LOCK_KINDS, this.#entrySeq);
    this.#wait();
    if (this.#mustSave) this.#saveSoon();
  }

  stop(): void {
    this.#cancelWait();
    this.#cancelRetry();
  }

  /** Instead of the lock that the output may have. */
  lock({ numOutput, forMs, actor }: LockRequest): Promise<void> {
    return this.#inTurn(async () => {
      const lock = { numOutput, untilMs: this.#ports.clock.nowMs() + forMs, by: actor };
      await this.#entered({ actor, kind: 'lock', numOutput, forMs }, [...others(this.locks, numOutput), lock]);
    });
  }

  /** False: it had none, and nothing was changed. */
  unlock({ numOutput, actor }: UnlockRequest): Promise<boolean> {
    return this.#inTurn(async () => {
      const left = others(this.locks, numOutput);
      const wasLocked = left.length < this.locks.length;
      if (wasLocked) await this.#entered({ actor, kind: 'unlock', numOutput }, left);
      else await this.#toGuard();
      return wasLocked;
    });
  }

  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const mine = this.#changes.then(work);
    this.#changes = mine.then(
      () => {},
      () => {},
    );
    return mine;
  }

  #entered(deed: Omit<PlannedDeed, 'stands'>, locks: readonly KeptLock[]): Promise<void> {
    let isSaved = false;
    return this.#ports.history.planned({ ...deed, stands: () => isSaved }, async (seq) => {
      await this.#keep(locks, seq);
      isSaved = true;
      await this.#toGuard();
    });
  }

  async #keep(locks: readonly KeptLock[], entrySeq: number): Promise<void> {
    try {
      await this.#save({ locks, entrySeq });
    } catch (error) {
      // It may have come as far as the file: the old ones are written again.
      this.#saveSoon();
      const why = `${this.#ports.path} cannot be written (${problemOf(error)}); nothing was changed.`;
      throw new RelaygateError('refused', why, { cause: error });
    }
    this.#locks = locks;
    this.#entrySeq = entrySeq;
    this.#wait();
  }

  async #toGuard(): Promise<void> {
    try {
      await this.#ports.guard.lock(this.locks);
    } catch (error) {
      // Whichever guard comes next hears of it before any remote command.
      const isAway = error instanceof AnswerLostError || error instanceof RelaygateError;
      if (!isAway) throw error;
      const why = `It is saved, and not in force yet: the guard gave no answer (${problemOf(error)}). Look at "relayctl status".`;
      throw new RelaygateError('guard-unreachable', why, { cause: error });
    } finally {
      this.#ports.onChange([]);
    }
  }

  /** Until the next one ends. */
  #wait(): void {
    const { clock, onChange } = this.#ports;
    this.#cancelWait();
    const nowMs = clock.nowMs();
    const nextMs = Math.min(...this.#locks.map(({ untilMs }) => untilMs));
    if (nextMs === Number.POSITIVE_INFINITY) return;
    this.#cancelWait = clock.after(Math.max(0, nextMs - nowMs), () => {
      const left = this.locks;
      const ended = this.#locks.filter((lock) => !left.includes(lock));
      this.#locks = left;
      this.#saveSoon();
      this.#wait();
      onChange(ended);
    });
  }

  /** In turn with the changes; tried again until the disk takes it. */
  #saveSoon(): void {
    const { clock } = this.#ports;
    this.#cancelRetry();
    this.#changes = this.#changes
      .then(() => this.#save({ locks: this.locks, entrySeq: this.#entrySeq }))
      .catch(() => {
        this.#cancelRetry = clock.after(SAVE_AGAIN_MS, () => this.#saveSoon());
      });
  }

  async #save(kept: Parameters<typeof textOfLocks>[0]): Promise<void> {
    const { files, path, bootId, clock } = this.#ports;
    try {
      await files.replace(path, textOfLocks(kept, bootId, clock.nowMs()));
    } catch (error) {
      this.#saveFault.set(fault('locks-unwritten', { path, problem: problemOf(error) }));
      throw error;
    }
    this.#cancelRetry();
    this.#saveFault.set(null);
  }
}

function others(locks: readonly KeptLock[], numOutput: number): KeptLock[] {
  return locks.filter((lock) => lock.numOutput !== numOutput);
}
