import { type Cancel, type Clock, type HistoryEntry, RelaygateError } from '@relaygate/shared';
import { Mutex } from 'async-mutex';
import type { Files } from '../../files/files';
import { TimelySaves } from '../../files/timely-saves';
import { AnswerLostError } from '../../ipc/request-client';
import type { Cause } from '../../runtime/cause';
import { type Fault, fault } from '../../runtime/fault';
import { FaultSlot } from '../../runtime/fault-slot';
import type { Log } from '../../runtime/log';
import { causeOf } from '../../runtime/problem';
import { refused } from '../../runtime/refused';
import type { GuardContact } from '../commands/guard-contact';
import { inTurn, type RequestLife } from '../commands/late-request';
import type { History, PlannedAction } from '../history/history';
import { LOCK_KINDS } from '../history/kinds';
import type { LockRequest, UnlockRequest } from '../technician/local-messages/locks';
import { contentOfLocks, type KeptLock, locksFile, type ReadLocks } from './locks-file';

/** How often a file that could not be written is tried again. */
const SAVE_AGAIN_MS = 60_000;

export interface LockKeeperDeps {
  files: Files;
  clock: Clock;
  path: string;
  bootId: string;
  guard: Pick<GuardContact, 'lock'>;
  history: Pick<History, 'enter' | 'planned' | 'reconcilePlanned' | 'whenDurable'>;
  log: Log;
  /** Locks or `faults` have changed; `ended`: those whose time is over now. */
  onChange(ended: readonly KeptLock[]): void;
}

/** What `locks.json` holds. After a failed write it may hold the old locks or the new ones. */
interface InFile {
  /** Locks that the file holds in either case. */
  certain: readonly KeptLock[];
  /** Locks that the file may hold. */
  possible: readonly KeptLock[];
}

/**
 * The maintenance locks. A lock is in force in the guard first, whatever the card does; then it is entered in the history
 * and saved, and its answer says if that failed. Unlocking is entered and saved first, so that in doubt the output stays
 * locked, now and after a restart. The end of a lock is saved too; else a reboot would begin it anew.
 */
export class LockKeeper {
  readonly #deps: LockKeeperDeps;
  readonly #file: ReturnType<typeof locksFile>;
  #locks: readonly KeptLock[];
  /** The entry of the history for which the locks were last changed; null: the file does not say. */
  #entrySeq: number | null;
  /** What the file is to hold. */
  #wanted: Pick<ReadLocks, 'entrySeq'> & { locks: readonly KeptLock[] };
  #inFile: InFile;
  readonly #saves: TimelySaves;
  readonly #readFault: Fault | null;
  readonly #saveFault: FaultSlot;
  #mustSave: boolean;
  readonly #mutex = new Mutex();
  #cancelWait: Cancel = () => {};
  #cancelRetry: Cancel = () => {};

  constructor({ locks, mustSave, entrySeq, fault: readFault }: ReadLocks, deps: LockKeeperDeps) {
    this.#locks = locks;
    this.#entrySeq = entrySeq;
    this.#mustSave = mustSave;
    this.#readFault = readFault;
    this.#deps = deps;
    this.#file = locksFile(deps.files, deps.path);
    this.#saveFault = new FaultSlot(deps.log, () => deps.onChange([]));
    this.#wanted = { locks, entrySeq };
    // Locks of another boot have outlived it; if nobody could read the file, the locks are the agent's own.
    this.#inFile = { certain: mustSave && readFault === null ? locks : [], possible: locks };
    this.#saves = new TimelySaves({
      clock: deps.clock,
      write: () => this.#write(),
      silent: (problem) => this.#saveFault.set(fault('locks-unwritten', { path: deps.path, problem })),
    });
  }

  /** The locks whose time is not over, as every guard must have them. */
  get locks(): readonly KeptLock[] {
    const nowMs = this.#deps.clock.nowMs();
    return this.#locks.filter(({ untilMs }) => nowMs < untilMs);
  }

  /** Whether the lock outlives a restart of the agent and a power cut. */
  isSaved(lock: KeptLock): boolean {
    return this.#inFile.certain.includes(lock);
  }

  get faults(): Fault[] {
    return [...(this.#readFault === null ? [] : [this.#readFault]), ...this.#saveFault.list];
  }

  start(): void {
    // The lock was ended before it was saved.
    const stands = ({ kind, numOutput }: HistoryEntry): boolean =>
      kind === 'unlock' && this.#locks.every((kept) => kept.numOutput !== numOutput);
    if (this.#entrySeq !== null) this.#deps.history.reconcilePlanned(LOCK_KINDS, this.#entrySeq, stands);
    this.#wait();
    if (this.#mustSave) this.#saveSoon();
    else if (this.#entrySeq !== 0) this.#syncFound();
  }

  stop(): void {
    this.#cancelWait();
    this.#cancelRetry();
  }

  /**
   * Locks the output, instead of a lock that it may have. Resolves once the lock is in force in the guard, with why it
   * could not be saved; null: it is saved. Rejects with `guard-unreachable` if it is only saved, with `refused` if it is
   * neither.
   */
  lock({ numOutput, forMs, actor }: LockRequest, life: RequestLife): Promise<Cause | null> {
    return this.#inTurn(life, async () => {
      const before = this.#locks;
      const lock = { numOutput, untilMs: this.#deps.clock.nowMs() + forMs, by: actor };
      const action = { actor, kind: 'lock', numOutput, forMs } as const;
      this.#adopt([...others(this.locks, numOutput), lock]);
      try {
        await this.#toGuard();
      } catch (error) {
        return await this.#lockLater(action, before, error);
      }
      this.#entrySeq = this.#deps.history.enter(action);
      return this.#save().then(() => null, causeOf);
    });
  }

  /** Resolves with false if there was no lock: nothing was changed. Rejects with `refused` if the output stays locked. */
  unlock({ numOutput, actor }: UnlockRequest, life: RequestLife): Promise<boolean> {
    return this.#inTurn(life, async () => {
      const lock = this.locks.find((kept) => kept.numOutput === numOutput);
      // If the file has no lock of the output that still runs, unlocking needs no card, and the card must not keep the lock in force.
      const mustSave = lock !== undefined && this.#isLockedBy(this.#inFile.possible, numOutput);
      const action = { actor, kind: 'unlock', numOutput } as const;
      if (lock) await (mustSave ? this.#unlockSaved(lock, action) : this.#unlockUnsaved(lock, action));
      await this.#toGuard().catch((error: unknown) => {
        throw notInForce(error, mustSave);
      });
      return lock !== undefined;
    });
  }

  #isLockedBy(locks: readonly KeptLock[], numOutput: number): boolean {
    const nowMs = this.#deps.clock.nowMs();
    return locks.some((kept) => kept.numOutput === numOutput && nowMs < kept.untilMs);
  }

  #inTurn<T>(life: RequestLife, work: () => Promise<T>): Promise<T> {
    return inTurn(this.#mutex, this.#deps.clock, work, life);
  }

  /** The guard is away: the lock stays wanted only if it is saved. */
  async #lockLater(action: LockAction, before: readonly KeptLock[], away: unknown): Promise<never> {
    let isSaved = false;
    try {
      return await this.#deps.history.planned({ ...action, stands: () => isSaved }, async (entrySeq) => {
        await this.#save({ locks: this.locks, entrySeq }).catch((error: unknown) => {
          const { numOutput } = action;
          const wasLocked = this.#isLockedBy(before, numOutput);
          const file = { path: this.#deps.path, problem: causeOf(error) };
          throw refused(
            'refused',
            'lock-unsaved',
            { ...file, numOutput, why: causeOf(away), wasLocked },
            { cause: error },
          );
        });
        this.#entrySeq = entrySeq;
        isSaved = true;
        throw notInForce(away, true);
      });
    } catch (error) {
      if (!isSaved) this.#takeBack(before);
      throw error;
    }
  }

  /** Adopted once it is durable. */
  async #unlockSaved(lock: KeptLock, action: LockAction): Promise<void> {
    const left = others(this.locks, lock.numOutput);
    let stands = false;
    await this.#deps.history.planned({ ...action, stands: () => stands }, async (entrySeq) => {
      try {
        await this.#save({ locks: left, entrySeq });
      } catch (error) {
        stands = !this.#isLockedBy(this.#inFile.certain, lock.numOutput);
        // The new locks may have come as far as the file, so the old ones are written again.
        this.#saveSoon();
        const file = { path: this.#deps.path, problem: causeOf(error) };
        throw refused(
          'refused',
          'unlock-unsaved',
          { ...file, numOutput: lock.numOutput, mayBeUnlocked: stands },
          { cause: error },
        );
      }
      this.#entrySeq = entrySeq;
      this.#adopt(left);
    });
  }

  async #unlockUnsaved({ numOutput }: KeptLock, action: LockAction): Promise<void> {
    this.#entrySeq = this.#deps.history.enter(action);
    this.#adopt(others(this.locks, numOutput));
    this.#saveSoon();
  }

  #adopt(locks: readonly KeptLock[]): void {
    this.#locks = locks;
    this.#wait();
  }

  /** A guard that has come meanwhile may have got other locks. */
  #takeBack(locks: readonly KeptLock[]): void {
    this.#adopt(locks);
    this.#saveSoon();
    this.#toGuard().catch(() => {});
  }

  async #toGuard(): Promise<void> {
    try {
      await this.#deps.guard.lock(this.locks);
    } finally {
      this.#deps.onChange([]);
    }
  }

  /** Waits until the next lock ends. */
  #wait(): void {
    const { clock, onChange } = this.#deps;
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

  /** Syncs the locks that were found: a former agent may have died before they were durable. */
  #syncFound(): void {
    const found = this.#inFile;
    const synced = (): void => {
      if (this.#inFile === found) this.#inFile = { ...found, certain: found.possible };
      this.#deps.onChange([]);
    };
    this.#file.sync().then(synced, () => this.#saveSoon());
  }

  /** Saves between changes, and tries again until the disk takes it. */
  #saveSoon(): void {
    this.#cancelRetry();
    this.#mutex.runExclusive(() => this.#save()).catch(() => {});
  }

  /** Rejects if the disk refuses or does not answer in time; it is tried again all the same. */
  async #save(wanted = { locks: this.locks, entrySeq: this.#entrySeq }): Promise<void> {
    this.#wanted = wanted;
    try {
      await this.#saves.save();
    } catch (error) {
      this.#saveFault.set(fault('locks-unwritten', { path: this.#deps.path, problem: causeOf(error) }));
      this.#cancelRetry();
      this.#cancelRetry = this.#deps.clock.after(SAVE_AGAIN_MS, () => this.#saveSoon());
      throw error;
    }
  }

  async #write(): Promise<void> {
    const { bootId, clock, history } = this.#deps;
    // No change is saved without its entry.
    await history.whenDurable();
    const { locks, entrySeq } = this.#wanted;
    const content = contentOfLocks({ locks, entrySeq }, bootId, clock.nowMs());
    const { certain, possible } = this.#inFile;
    this.#inFile = { certain: certain.filter((lock) => locks.includes(lock)), possible: [...possible, ...locks] };
    try {
      await this.#file.save(content);
    } catch (error) {
      if (!(await this.#file.holds(content, true))) this.#inFile = { certain, possible };
      throw error;
    }
    this.#inFile = { certain: locks, possible: locks };
    this.#cancelRetry();
    this.#saveFault.set(null);
  }
}

type LockAction = Omit<PlannedAction, 'stands' | 'numOutput'> & { numOutput: number };

/** The next guard gets it before any remote command. */
function notInForce(error: unknown, isSaved: boolean): unknown {
  const isAway = error instanceof AnswerLostError || error instanceof RelaygateError;
  if (!isAway) return error;
  return refused('guard-unreachable', 'not-in-force', { why: causeOf(error), isSaved }, { cause: error });
}

function others(locks: readonly KeptLock[], numOutput: number): KeptLock[] {
  return locks.filter((lock) => lock.numOutput !== numOutput);
}
