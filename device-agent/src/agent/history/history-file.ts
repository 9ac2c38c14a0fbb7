import { type HistoryEntry, KEPT_HISTORY_ENTRIES, type Randomness } from '@relaygate/shared';
import { Mutex } from 'async-mutex';
import type { Files } from '../../files/files';
import { loadFile } from '../../files/loaded-file';
import { type Fault, fault } from '../../runtime/fault';
import { type Facts, withChanges } from './facts';
import { type HistoryContent, type HistoryLine, readHistory, textOfHead, textOfLines } from './history-text';

export interface HistoryFileDeps {
  files: Files;
  path: string;
  randomness: Randomness;
}

const ID_BYTES = 12;
/** Only the agent reads it: it names people. */
const MODE = 0o600;
/** How far the file grows beyond KEPT_HISTORY_ENTRIES before it is written anew, because a card bears few large writes. */
const SLACK_ENTRIES = 250;

/**
 * The history's lines, in memory and in `history.jsonl`. A line is added at the end and synced. After a failed write nobody
 * knows how the file ends, so the next write replaces all of it.
 */
export class HistoryFile {
  readonly #deps: HistoryFileDeps;
  /** What was wrong with the file that was found. */
  readonly corruption: Fault | null;
  /** Nothing was there. */
  readonly isNew: boolean;
  #id: string;
  #base: Facts;
  #lines: HistoryLine[];
  #entryCount: number;
  #lastSeq: number;
  /** How many of the oldest lines have gone since the start, so that each line keeps its number. */
  #dropped = 0;
  /** The number of the first line that is not in the file. */
  #writtenTo: number;
  /** The file must be written anew: nothing may be added to it, or it has grown too long. */
  #mustReplace: boolean;
  #isReplacing = false;
  /** Whether what was found at the start is durable: a former agent may have died before it was. */
  #isSynced: boolean;
  /** The id in the file. */
  #writtenId: string | null;
  readonly #mutex = new Mutex();

  private constructor(deps: HistoryFileDeps, content: HistoryContent | null, corruption: Fault | null) {
    this.#deps = deps;
    this.corruption = corruption;
    this.isNew = content === null;
    this.#id = content?.historyId ?? newId(deps.randomness);
    this.#base = content?.base ?? new Map();
    this.#lines = content?.lines ?? [];
    this.#mustReplace = !content?.isWhole;
    this.#isSynced = content === null;
    this.#writtenId = content?.historyId ?? null;
    this.#writtenTo = this.#lines.length;
    this.#entryCount = this.#lines.reduce((count, line) => count + line.length, 0);
    this.#lastSeq = this.#lines.at(-1)?.at(-1)?.seq ?? 0;
  }

  /** A file that is corrupt, or cannot be read, is quarantined; the history begins anew then. Never rejects. */
  static async open(deps: HistoryFileDeps): Promise<HistoryFile> {
    const { files, path } = deps;
    const { value, corruption } = await loadFile(files, path, readHistory);
    if (!corruption) return new HistoryFile(deps, value, null);
    const { problem, kept } = corruption;
    const found = { path, ...kept };
    const reported =
      problem === null ? fault('history-corrupt', found) : fault('history-unreadable', { ...found, problem });
    return new HistoryFile(deps, null, reported);
  }

  get id(): string {
    return this.#id;
  }

  get lastSeq(): number {
    return this.#lastSeq;
  }

  /** What the files hold, by the entries. */
  get facts(): Facts {
    return this.#lines.reduce((facts, line) => withLine(facts, line), this.#base);
  }

  /** All lines that are kept, durable or not, oldest first. */
  get lines(): readonly HistoryLine[] {
    return this.#lines;
  }

  /** Whether all lines are in the file. */
  get isDurable(): boolean {
    const isWritten = !this.#mustReplace && !this.#isReplacing && this.#isSynced;
    return isWritten && this.#writtenCount === this.#lines.length;
  }

  /** How many of the lines, the oldest, have come as far as the file. Lines that never did may have been dropped too. */
  get #writtenCount(): number {
    return Math.max(0, this.#writtenTo - this.#dropped);
  }

  /** The facts from which it starts. */
  begin(base: Facts): void {
    this.#base = base;
  }

  add(line: HistoryLine): void {
    this.#lines.push(line);
    this.#entryCount += line.length;
    this.#lastSeq = line.at(-1)?.seq ?? this.#lastSeq;
    // Also if nothing can be written. I15.
    if (this.#entryCount > KEPT_HISTORY_ENTRIES + SLACK_ENTRIES) this.#compact();
  }

  /** Gives the history another id from the next write on. */
  renew(): void {
    this.#id = newId(this.#deps.randomness);
    this.#mustReplace = true;
  }

  durableAfter(seq: number, limit: number): HistoryEntry[] {
    if (this.#writtenId !== this.#id || !this.#isSynced) return [];
    const written = this.#lines.slice(0, this.#writtenCount).flat();
    return written.filter((entry) => entry.seq > seq).slice(0, limit);
  }

  newest(limit: number, isWanted: (entry: HistoryEntry) => boolean): HistoryEntry[] {
    return this.#lines.flat().filter(isWanted).slice(-limit);
  }

  /** Resolves when all that has been added so far is durable; false: it was by then. */
  write(): Promise<boolean> {
    return this.#mutex.runExclusive(() => this.#writeNow());
  }

  async #writeNow(): Promise<boolean> {
    if (this.isDurable) return false;
    try {
      if (!this.#isSynced) await this.#syncFound();
      await this.#writeRest();
      return true;
    } catch (error) {
      this.#mustReplace = true;
      throw error;
    } finally {
      this.#isReplacing = false;
    }
  }

  /**
   * A disk that takes nothing new may still sync what the file holds; one that cannot sync may still take the file anew.
   */
  async #syncFound(): Promise<void> {
    const { files, path } = this.#deps;
    this.#isSynced = await files.sync(path).then(() => true, this.#mustReplace ? () => false : undefined);
  }

  async #writeRest(): Promise<void> {
    const { files, path } = this.#deps;
    const [id, end] = [this.#id, this.#dropped + this.#lines.length];
    this.#isReplacing = this.#mustReplace;
    // If it is asked for again meanwhile, the next write does it.
    this.#mustReplace = false;
    if (this.#isReplacing) {
      const text = textOfHead({ historyId: id, base: this.#base }) + textOfLines(this.#lines);
      await files.replace(path, text, { mode: MODE });
      this.#writtenId = id;
      this.#isSynced = true;
    } else {
      const unwritten = this.#lines.slice(this.#writtenCount, end - this.#dropped);
      if (unwritten.length > 0) await files.append(path, textOfLines(unwritten), { sync: true });
    }
    this.#writtenTo = end;
  }

  #compact(): void {
    while (this.#entryCount > KEPT_HISTORY_ENTRIES) {
      const oldest = this.#lines.shift() ?? [];
      this.#base = withLine(this.#base, oldest);
      this.#entryCount -= oldest.length;
      this.#dropped += 1;
    }
    this.#mustReplace = true;
  }
}

function withLine(facts: Facts, line: HistoryLine): Facts {
  return line.reduce((held, { changes }) => withChanges(held, changes), facts);
}

function newId(randomness: Randomness): string {
  return Buffer.from(randomness.bytes(ID_BYTES)).toString('base64url');
}
