import {
  type Cancel,
  type Clock,
  type HistoryChange,
  type HistoryEntry,
  RelaygateError,
  SAVE_PATIENCE_MS,
} from '@relaygate/shared';
import { Mutex } from 'async-mutex';
import { type Fault, fault } from '../../runtime/fault';
import { FaultSlot } from '../../runtime/fault-slot';
import type { Log } from '../../runtime/log';
import { causeOf, failure } from '../../runtime/problem';
import { refused } from '../../runtime/refused';
import { type DeviceClock, wallEpochMs } from '../../runtime/wall-time';
import { aftermathOf } from './aftermath';
import {
  AGENT,
  aboutOf,
  type EntryContent,
  entriesOf,
  type Moment,
  newEntries,
  standingChange,
  takenBack,
} from './entries';
import { changesBetween, type Facts, withChanges } from './facts';
import type { HistoryFile } from './history-file';
import type { HistoryLine } from './history-text';
import type { ChangeKind, HistoryKind, PlannedKind, TechnicianActionKind } from './kinds';

export interface HistoryDeps {
  clock: Clock;
  wallClock: DeviceClock;
  log: Log;
  bootId: string;
  /**
   * Resolves when the files that the entries are about are durable as they were found, because a former agent may have died
   * before they were. If a power cut brought an old file back behind a later change, that would look like an edit by hand.
   * If it rejects, the next call tries again.
   */
  syncFound(): Promise<void>;
}

/** What somebody wants to change. */
export interface WantedChange {
  actor: string;
  kind: ChangeKind;
  /** The facts before the change. If the file holds more, that comes from a refused change, and goes with this one. */
  before: Facts;
  /** The facts after the change: all that the members which it concerns stand for. */
  after: Facts;
  concerns(member: string): boolean;
  /** Asked if the change has failed: whether it stands in its file all the same. */
  stands(): boolean;
}

/** What became of a command. */
export interface Became {
  outcome: string;
  reason?: string | undefined;
}

/** An action that has changed no setting. */
export interface TechnicianAction extends Became {
  actor: string;
  kind: TechnicianActionKind;
  numOutput?: number;
  /** For how long it is to hold. */
  forMs?: number;
  /** Of a press, and of how many are missing: the last one. */
  pressSeq?: number;
  /** Absent: now. */
  when?: Omit<Moment, 'bootId'>;
}

/** An action that changes no setting and must not be done without its entry. */
export interface PlannedAction {
  actor: string;
  kind: PlannedKind;
  numOutput?: number;
  forMs?: number;
  outcome?: string;
  /** Asked if it has failed: whether it stands in its file all the same. */
  stands(): boolean;
}

const BY_HAND = 'by hand';
/** How long a disk that refuses is left alone, unless something new is entered. */
const RETRY_MS = 60_000;

/**
 * What people did at this device. Written ahead: an entry is durable before its change begins, and a change that fails or
 * is cut short gets another entry that takes it back. So no change is without its entry, and `facts` are what the files
 * hold. A disk that fails refuses changes, and never delays commands.
 */
export class History {
  readonly #deps: HistoryDeps;
  readonly #file: HistoryFile;
  #facts: Facts;
  readonly #mutex = new Mutex();
  readonly #fault: FaultSlot;
  #cancelRetry: Cancel | null = null;
  #listener: () => void = () => {};

  constructor(file: HistoryFile, deps: HistoryDeps) {
    this.#file = file;
    this.#deps = deps;
    this.#facts = file.facts;
    this.#fault = new FaultSlot(deps.log, () => this.#listener());
  }

  /** Random, made with the file. */
  get id(): string {
    return this.#file.id;
  }

  /** The last entry's number, durable or not; 0: there is none. */
  get lastSeq(): number {
    return this.#file.lastSeq;
  }

  /** Whether all of it is in the file, under this id. */
  get isDurable(): boolean {
    return this.#file.isDurable;
  }

  get faults(): Fault[] {
    return [...(this.#file.corruption === null ? [] : [this.#file.corruption]), ...this.#fault.list];
  }

  /** Calls `listener` whenever entries have become durable, or a fault begins or ends. */
  watch(listener: () => void): void {
    this.#listener = listener;
  }

  stop(): void {
    this.#cancelRetry?.();
  }

  /** For an orderly end: what was entered is durable, or the disk has had SAVE_PATIENCE_MS. Never rejects. */
  async written(): Promise<void> {
    if (!this.isDurable) await this.#durable().catch(() => {});
    this.#cancelRetry?.();
  }

  /** Durable entries after that number, oldest first, at most `limit`. */
  after(seq: number, limit: number): HistoryEntry[] {
    return this.#file.durableAfter(seq, limit);
  }

  /** The newest entries before that number, oldest first, at most `limit`; of one output, if it is given. */
  newest(limit: number, beforeSeq: number, numOutput?: number): HistoryEntry[] {
    return this.#file.newest(limit, (entry) => {
      const { seq } = entry;
      return seq < beforeSeq && (numOutput === undefined || entry.numOutput === numOutput);
    });
  }

  /**
   * Compares the history with what the files hold at the start. For changes that were cut short or refused it enters what
   * became of them; any other difference was made by hand. Writes nothing if all is as it was left.
   */
  reconcile(found: Facts): void {
    if (this.#file.isNew) {
      this.#file.begin(found);
      this.#facts = found;
      this.#writeSoon();
      return;
    }
    const became = aftermathOf(this.#file.lines, this.#facts, found);
    if (became.length > 0) this.#enter(became);
    const byHand = changesBetween(this.#facts, found, () => true);
    if (byHand.length > 0) this.#enter(entriesOf({ actor: BY_HAND, kind: 'by-hand' }, byHand));
    if (!this.isDurable) this.#writeSoon();
  }

  /**
   * As `reconcile`, for actions of these kinds. Their file names the entry that it was last written for; 0: it was not
   * written yet. `stands`: the file holds what the entry wants all the same.
   */
  reconcilePlanned(
    kinds: readonly string[],
    writtenSeq: number,
    stands: (entry: HistoryEntry) => boolean = () => false,
  ): void {
    const [last] = this.#file.newest(1, ({ kind }) => kinds.includes(kind));
    if (!last || last.seq === writtenSeq || stands(last)) return;
    if (this.#file.newest(1, ({ about }) => about === last.seq).length > 0) return;
    this.#takeBack([last], { kind: 'not-in-file' });
    this.#writeSoon();
  }

  /**
   * Carries changes out, one after the other. If the entry cannot be made durable, rejects with `refused` and does nothing;
   * else settles as `work` does, and enters a failure as not done.
   */
  change<T>(wanted: WantedChange, work: () => Promise<T>): Promise<T> {
    return this.#mutex.runExclusive(() => {
      const { actor, kind, before, after, concerns, stands } = wanted;
      const withdrawn = this.#withdrawn(changesBetween(this.#facts, before, concerns));
      const line = [...withdrawn, ...entriesOf({ actor, kind }, changesBetween(before, after, concerns))];
      return line.length === 0 ? work() : this.#ahead(line, stands, work);
    });
  }

  /** As `change`. `work` gets the entry's number. */
  planned<T>({ stands, ...action }: PlannedAction, work: (seq: number) => Promise<T>): Promise<T> {
    return this.#mutex.runExclusive(() => this.#ahead([{ ...action, changes: [] }], stands, work));
  }

  /** Enters what is so already and will be saved behind its entry (see `whenDurable`). Returns the entry's number. */
  enter(action: Omit<PlannedAction, 'stands' | 'outcome'>): number {
    this.#enter([{ ...action, changes: [] }]);
    return this.lastSeq;
  }

  /** Rejects when the disk refuses, or says nothing for SAVE_PATIENCE_MS. */
  async whenDurable(): Promise<void> {
    if (!this.isDurable) await this.#durable();
  }

  /**
   * Resolves with the entry's number once it is durable, at the latest after SAVE_PATIENCE_MS; 0: it has none. Never
   * rejects.
   */
  async enterAction({ outcome, reason, pressSeq, when, ...action }: TechnicianAction): Promise<number> {
    const counted = pressSeq === undefined ? {} : { pressSeq };
    const line = this.#enter([{ ...action, changes: [], ...outcomeOf({ outcome, reason }), ...counted }], when);
    await this.#durable().catch(() => {});
    return line[0]?.seq ?? 0;
  }

  /** Enters the outcome of a command whose entry says "unknown": the guard knows it by now. */
  knownLater(seq: number, numOutput: number, became: Became): void {
    const about = { numOutput, about: seq, aboutLast: seq };
    this.#enter([{ actor: AGENT, kind: 'known-later', ...about, changes: [], ...outcomeOf(became) }]);
    this.#writeSoon();
  }

  /**
   * The server has more of this history than the file, so an older copy has replaced it. All is reported again. Rejects if
   * the disk refuses or does not answer; it is tried again all the same.
   */
  async renew(): Promise<void> {
    this.#file.renew();
    await this.#durable();
  }

  async #ahead<T>(entries: EntryContent[], stands: () => boolean, work: (seq: number) => Promise<T>): Promise<T> {
    const line = this.#enter(entries);
    try {
      await this.#durable({ syncsFound: true });
    } catch (error) {
      this.#takeBack(line, { kind: 'not-done', reason: 'history-not-written' });
      throw refused('refused', 'history-unwritten', { problem: causeOf(error) }, { cause: error });
    }
    try {
      return await work(line[0]?.seq ?? 0);
    } catch (error) {
      if (stands()) this.#enter([{ actor: AGENT, kind: 'not-confirmed', changes: [], ...aboutOf(line) }]);
      else this.#takeBack(line, { kind: 'not-done', reason: error instanceof RelaygateError ? error.code : 'failed' });
      this.#writeSoon();
      throw error;
    }
  }

  /** If a refused change stands in its file, the next change takes it back, and not in that technician's name. */
  #withdrawn(changes: readonly HistoryChange[]): EntryContent[] {
    const [first] = changes;
    const refused = first ? standingChange(this.#file.lines, first.member) : [];
    return entriesOf({ actor: AGENT, kind: 'not-done', ...aboutOf(refused) }, changes);
  }

  #takeBack(line: HistoryLine, why: { kind: HistoryKind; reason?: string }): void {
    this.#enter(takenBack(line, { actor: AGENT, ...why }));
  }

  #enter(entries: readonly EntryContent[], when?: Omit<Moment, 'bootId'>): HistoryLine {
    const { clock, wallClock, bootId } = this.#deps;
    const { bootMs, atMs } = when ?? { bootMs: clock.nowMs(), atMs: wallEpochMs(wallClock) };
    const line = newEntries(entries, this.#file.lastSeq + 1, { bootId, bootMs, atMs });
    for (const { changes } of line) this.#facts = withChanges(this.#facts, changes);
    this.#file.add(line);
    return line;
  }

  #writeSoon(): void {
    this.#durable().catch(() => {});
  }

  /** Rejects when the disk refuses, or says nothing for SAVE_PATIENCE_MS. `syncsFound`: to sync what was found, too. */
  #durable({ syncsFound = false } = {}): Promise<void> {
    const { clock, syncFound } = this.#deps;
    const found = syncsFound ? syncFound() : syncFound().catch(() => {});
    return new Promise((resolve, reject) => {
      let isGivenUp = false;
      const failed = (error: unknown): void => {
        isGivenUp = true;
        this.#fault.set(fault('history-unwritten', { problem: causeOf(error) }));
        this.#retryLater();
        reject(error);
      };
      const cancel = clock.after(SAVE_PATIENCE_MS, () => failed(failure('disk-silent', {})));
      const written = found.then(() => this.#file.write());
      written.then(
        (isNews) => {
          cancel();
          this.#fault.set(null);
          if (isNews) this.#listener();
          // The change that was given up is taken back by now.
          if (isGivenUp && !this.isDurable) this.#writeSoon();
          resolve();
        },
        (error: unknown) => {
          cancel();
          failed(error);
        },
      );
    });
  }

  #retryLater(): void {
    this.#cancelRetry?.();
    this.#cancelRetry = this.#deps.clock.after(RETRY_MS, () => this.#writeSoon());
  }
}

function outcomeOf({ outcome, reason }: Became): Pick<HistoryEntry, 'outcome' | 'reason'> {
  return { outcome, ...(reason === undefined ? {} : { reason }) };
}
