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
   * Resolves when the files that the entries tell of are durable as they were found: an agent may have died before. A power cut
   * that brings an old one back, behind a later change, would look like a hand. Rejected, it is tried again by the next call.
   */
  syncFound(): Promise<void>;
}

/** What somebody wants to change. */
export interface WantedChange {
  actor: string;
  kind: ChangeKind;
  /** What it begins from. What the file holds beyond it comes from a change that was refused, and goes with this one. */
  before: Facts;
  /** As it is to be: of what stands behind the members that it concerns, all of it. */
  after: Facts;
  concerns(member: string): boolean;
  /** Asked when the change has failed: does it stand in its file all the same? */
  stands(): boolean;
}

/** What became of a command. */
export interface Became {
  outcome: string;
  reason?: string | undefined;
}

/** What somebody did that has changed no setting. */
export interface TechnicianAction extends Became {
  actor: string;
  kind: TechnicianActionKind;
  numOutput?: number;
  /** For how long it is to be so. */
  forMs?: number;
  /** Absent: now. */
  when?: Omit<Moment, 'bootId'>;
}

/** What somebody is about to do that changes no setting, and that must not be done without its entry. */
export interface PlannedAction {
  actor: string;
  kind: PlannedKind;
  numOutput?: number;
  forMs?: number;
  outcome?: string;
  /** Asked when it has failed: does it stand in its file all the same? */
  stands(): boolean;
}

const BY_HAND = 'by hand';
/** How long a disk that refuses is left alone, unless something new is entered. */
const RETRY_MS = 60_000;

/**
 * What people did at this device. Written ahead: an entry is durable before its change begins, and a change that fails
 * or is cut short gets another entry that takes it back. So there is never a change without its entry, and `facts` are
 * what the files hold. A disk that fails refuses changes; commands it never holds up.
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

  /** All of it is in the file, under this id. */
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
   * Compares with what the files hold at the start. Changes that were cut short or refused are entered as what became of
   * them; what else differs a hand has edited. Writes nothing where all is as it was left.
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
   * The same for actions of these kinds, whose file says the entry that it was last written for; 0: it was not written yet.
   * `stands`: the file holds what the entry wants all the same.
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
   * Carries a change out, one after the other. Rejects with `refused` and does nothing where its entry cannot be made
   * durable; else as `work` does, and says in another entry that it was not done.
   */
  change<T>(wanted: WantedChange, work: () => Promise<T>): Promise<T> {
    return this.#mutex.runExclusive(() => {
      const { actor, kind, before, after, concerns, stands } = wanted;
      const withdrawn = this.#withdrawn(changesBetween(this.#facts, before, concerns));
      const line = [...withdrawn, ...entriesOf({ actor, kind }, changesBetween(before, after, concerns))];
      return line.length === 0 ? work() : this.#ahead(line, stands, work);
    });
  }

  /** As `change`. `work` hears the entry's number. */
  planned<T>({ stands, ...action }: PlannedAction, work: (seq: number) => Promise<T>): Promise<T> {
    return this.#mutex.runExclusive(() => this.#ahead([{ ...action, changes: [] }], stands, work));
  }

  /** What is so already, and saved behind its entry (see `whenDurable`). The entry's number. */
  enter({ actor, kind, numOutput, forMs }: Omit<PlannedAction, 'stands'>): number {
    const about = { ...(numOutput === undefined ? {} : { numOutput }), ...(forMs === undefined ? {} : { forMs }) };
    this.#enter([{ actor, kind, ...about, changes: [] }]);
    return this.lastSeq;
  }

  /** Rejects when the disk refuses, or says nothing for SAVE_PATIENCE_MS. */
  async whenDurable(): Promise<void> {
    if (!this.isDurable) await this.#durable();
  }

  /**
   * Resolves once it is durable, or at the latest after SAVE_PATIENCE_MS, with the entry's number; 0: it has none. Never
   * rejects.
   */
  async enterAction({ actor, kind, numOutput, forMs, when, ...became }: TechnicianAction): Promise<number> {
    const about = { ...(numOutput === undefined ? {} : { numOutput }), ...(forMs === undefined ? {} : { forMs }) };
    const line = this.#enter([{ actor, kind, ...about, changes: [], ...outcomeOf(became) }], when);
    await this.#durable().catch(() => {});
    return line[0]?.seq ?? 0;
  }

  /** Of a command whose entry says that it is unknown: the guard knows it by now. */
  knownLater(seq: number, numOutput: number, became: Became): void {
    const about = { numOutput, about: seq, aboutLast: seq };
    this.#enter([{ actor: AGENT, kind: 'known-later', ...about, changes: [], ...outcomeOf(became) }]);
    this.#writeSoon();
  }

  /**
   * The server knows more of this history than is here: an older copy has taken its place. All is reported again. Rejects when
   * the disk refuses or says nothing; it is tried again all the same.
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

  /** What a refused change has left in its file is taken back by the next one, and not in that technician's name. */
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
        () => {
          cancel();
          this.#fault.set(null);
          this.#listener();
          // What was given up is taken back by now.
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
    this.#cancelRetry = this.#deps.clock.after(RETRY_MS, () => {
      if (!this.isDurable) this.#writeSoon();
    });
  }
}

function outcomeOf({ outcome, reason }: Became): Pick<HistoryEntry, 'outcome' | 'reason'> {
  return { outcome, ...(reason === undefined ? {} : { reason }) };
}
