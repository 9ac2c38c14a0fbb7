import { type Cancel, type Clock, RelaygateError } from '@relaygate/shared';
import type { Files } from '../files/files';
import { AnswerLostError } from '../local/request-client';
import type { Log } from '../program/log';
import { problemOf } from '../program/problem';
import type { GuardContact } from './guard-contact';
import { type KeptLock, type ReadLocks, textOfLocks } from './locks-file';

/** How often a file that could not be written is tried again. */
const SAVE_AGAIN_MS = 60_000;

export interface LockKeeperPorts {
  files: Files;
  clock: Clock;
  path: string;
  bootId: string;
  guard: Pick<GuardContact, 'lock'>;
  log: Log;
  /** Locks or `problem` have changed; `ended`: those whose time is over now. */
  onChange(ended: readonly KeptLock[]): void;
}

/**
 * The maintenance locks. One is durable first, then in force in the guard, and only then confirmed. A change that cannot be
 * saved does not happen; one that has ended is saved too, or a reboot would begin it anew.
 */
export class LockKeeper {
  readonly #ports: LockKeeperPorts;
  #locks: readonly KeptLock[];
  readonly #readProblem: string | null;
  #saveProblem: string | null = null;
  #mustSave: boolean;
  #changes: Promise<unknown> = Promise.resolve();
  #cancelWait: Cancel = () => {};
  #cancelRetry: Cancel = () => {};

  constructor({ locks, mustSave, problem }: ReadLocks, ports: LockKeeperPorts) {
    this.#locks = locks;
    this.#mustSave = mustSave;
    this.#readProblem = problem;
    this.#ports = ports;
  }

  /** Those whose time is not over, as every guard is to have them. */
  get locks(): readonly KeptLock[] {
    const nowMs = this.#ports.clock.nowMs();
    return this.#locks.filter(({ untilMs }) => nowMs < untilMs);
  }

  /** In sentences, for people. */
  get problems(): string[] {
    return [this.#readProblem, this.#saveProblem].filter((problem) => problem !== null);
  }

  start(): void {
    this.#wait();
    if (this.#mustSave) this.#saveSoon();
  }

  stop(): void {
    this.#cancelWait();
    this.#cancelRetry();
  }

  /** Instead of the lock that the output may have. */
  lock(lock: KeptLock): Promise<void> {
    return this.#change((locks) => [...others(locks, lock.numOutput), lock]);
  }

  unlock(numOutput: number): Promise<void> {
    return this.#change((locks) => others(locks, numOutput));
  }

  #change(next: (locks: readonly KeptLock[]) => readonly KeptLock[]): Promise<void> {
    const mine = this.#changes.then(() => this.#changeNow(next(this.locks)));
    this.#changes = mine.catch(() => {});
    return mine;
  }

  async #changeNow(locks: readonly KeptLock[]): Promise<void> {
    const { guard, path } = this.#ports;
    try {
      await this.#save(locks);
    } catch (error) {
      // It may have come as far as the file: the old ones are written again.
      this.#saveSoon();
      throw new RelaygateError('refused', `${path} cannot be written (${problemOf(error)}); nothing was changed.`, {
        cause: error,
      });
    }
    this.#locks = locks;
    this.#wait();
    try {
      await guard.lock(this.locks);
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
      .then(() => this.#save(this.locks))
      .catch(() => {
        this.#cancelRetry = clock.after(SAVE_AGAIN_MS, () => this.#saveSoon());
      });
  }

  async #save(locks: readonly KeptLock[]): Promise<void> {
    const { files, path, bootId, clock } = this.#ports;
    try {
      await files.replace(path, textOfLocks(locks, bootId, clock.nowMs()));
    } catch (error) {
      this.#setSaveProblem(`${path} cannot be written (${problemOf(error)}): other locks may hold after a restart.`);
      throw error;
    }
    this.#cancelRetry();
    this.#setSaveProblem(null);
  }

  #setSaveProblem(problem: string | null): void {
    if (problem === this.#saveProblem) return;
    this.#saveProblem = problem;
    if (problem !== null) this.#ports.log.warn(problem);
    this.#ports.onChange([]);
  }
}

function others(locks: readonly KeptLock[], numOutput: number): KeptLock[] {
  return locks.filter((lock) => lock.numOutput !== numOutput);
}
