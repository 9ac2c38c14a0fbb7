import type { Clock } from '@relaygate/shared';
import { KEPT_OUTCOMES } from '@relaygate/shared/device-limits';
import { Mutex } from 'async-mutex';
import type { Files } from '../files/files';
import { type Corruption, loadFile } from '../files/loaded-file';
import type { Cause } from '../runtime/cause';
import { causeOf } from '../runtime/problem';
import type { JournalRecord } from './guard-records';
import { JournalMemory, readJournal } from './journal-memory';
import type { EarlierGuard } from './power-on';

/** Rewritten when it has this many lines, and half of them are old; that costs less than 1 ms on tmpfs. */
const COMPACT_AT_LINES = 8 * KEPT_OUTCOMES;

export interface JournalDeps {
  files: Files;
  clock: Clock;
  path: string;
  bootId: string;
  onFault(problem: Cause | null): void;
}

export interface LoadedJournal {
  /** What was wrong with the file, and where it lies now; null: nothing. */
  corruption: Corruption | null;
  /** null: no guard ran in this boot before. */
  earlier: EarlierGuard | null;
}

/** The journal's file, in the order of its records. */
export class Journal {
  readonly #deps: JournalDeps;
  #memory: JournalMemory;
  readonly #mutex = new Mutex();
  #lines = 0;
  /** The file may end in half a line, so it must be written anew. */
  #isTorn = true;

  constructor(deps: JournalDeps) {
    this.#deps = deps;
    this.#memory = new JournalMemory(deps.bootId, false);
  }

  /** All records, written or not. */
  get memory(): JournalMemory {
    return this.#memory;
  }

  /**
   * Reads what is there, before any command; never rejects, for a relay may wait to be switched off (I4). `mayHaveRun`: a guard may have run in this boot before,
   * whatever stands here.
   */
  async load(mayHaveRun: boolean): Promise<LoadedJournal> {
    const { files, clock, path, bootId } = this.#deps;
    const nowMs = clock.nowMs();
    const { value: journal, corruption } = await loadFile(files, path, (text) => {
      const read = readJournal(text, bootId, nowMs);
      return read.kind === 'corrupt' ? null : read;
    });
    const isRead = journal?.kind === 'read';
    // A journal that is missing may have been lost, and a corrupt one had content: then nothing may be called "never
    // started".
    const isComplete = !mayHaveRun && corruption === null;
    this.#memory = isRead ? journal.memory : new JournalMemory(bootId, isComplete, nowMs);
    const isOfThisBoot = isRead || corruption !== null;
    return { corruption, earlier: mayHaveRun || isOfThisBoot ? this.#memory.limits : null };
  }

  /** Writes the whole file once. That it cannot be written is a fault, and each command tries again. */
  async begin(): Promise<void> {
    await this.#write(null).catch(() => {});
  }

  /** Whether a guard after this one would find what was recorded so far. */
  get isWritten(): boolean {
    return !this.#isTorn;
  }

  /** Written when it resolves; I1: only then the edge of a started command may come. */
  record(record: JournalRecord): Promise<void> {
    this.#memory.apply(record, this.#deps.clock.nowMs());
    return this.#write(record);
  }

  /** Records what nobody waits for. A journal that cannot be written is a fault, and undoes nothing. */
  note(record: JournalRecord): void {
    void this.record(record).catch(() => {});
  }

  /** Resolves once all records are in the file, or could not be written, however long that takes. */
  tried(): Promise<void> {
    return this.#mutex.runExclusive(() => {});
  }

  #write(record: JournalRecord | null): Promise<void> {
    return this.#mutex.runExclusive(() => this.#writeNow(record));
  }

  async #writeNow(record: JournalRecord | null): Promise<void> {
    try {
      if (record === null || this.#isTorn || this.#lines >= Math.max(COMPACT_AT_LINES, 2 * this.#memory.size)) {
        const text = this.#memory.text();
        this.#isTorn = true;
        await this.#deps.files.replace(this.#deps.path, text);
        this.#lines = text.split('\n').length - 1;
      } else {
        this.#isTorn = true;
        await this.#deps.files.append(this.#deps.path, `${JSON.stringify(record)}\n`);
        this.#lines += 1;
      }
      this.#isTorn = false;
      this.#deps.onFault(null);
    } catch (error) {
      this.#deps.onFault(causeOf(error));
      throw error;
    }
  }
}
