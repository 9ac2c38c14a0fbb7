/**
 * What the guard knows of this boot's commands: the pure half of the journal. A command id stands here before its edge
 * (I1), so that neither a repeated frame nor a restarted guard executes it again.
 */
import { createHash } from 'node:crypto';
import { KEPT_OUTCOMES, LAST_COMMANDS } from '@relaygate/shared/device-limits';
import { parserNamed } from '@relaygate/shared/named-parser';
import { jsonIn } from '../files/json-text';
import type { JournalRecord, PressNumbers } from './guard-records';
import type { Heartbeat } from './heartbeat';
import type { EarlierGuard } from './power-on';
import type { LastCommand, Press, PressesReply } from './protocol';
import type { CommandNote, GuardConfirmation } from './requests';

// biome-ignore lint/style/noRestrictedGlobals: loaded where it is needed only.
const load = (): typeof import('./guard-records') => require('./guard-records');
const parseHeader = parserNamed('journal-header', () => load().JournalHeader);
const parseRecord = parserNamed('journal-record', () => load().JournalRecord);

type Started = Extract<JournalRecord, { started: string }>;
type Outcome = Extract<JournalRecord, { outcome: GuardConfirmation }>;
/** The last record of a command. `Started`: it may have moved its output. */
export type CommandRecord = Started | Outcome;

/** Commands that are kept while their deadline is ahead; with so many, one more is refused. I15. */
export const MAX_LIVE_COMMANDS = 4_096;
/**
 * So many older commands leave a trace: a busy device can still tell the server which commands never came. Beyond them
 * nothing is called "never started" in this boot. 200 KB of file and some 2 MB of memory. I15.
 */
export const MAX_TRACES = 16_384;
/** Presses in one answer, which has to fit into a line. */
const PRESSES_AT_ONCE = 100;
/** 48 bits of a hash: if two are alike, a command that never came counts as one that may have come. */
const TRACE_BYTES = 6;
/** A repeated frame may have its deadline estimated anew, a little later than the first one's. */
const DEADLINE_MARGIN_MS = 1_000;

export class JournalMemory {
  readonly bootId: string;
  readonly pressNumbers: PressNumbers;
  readonly #commands = new Map<string, CommandRecord>();
  readonly #traces = new Set<string>();
  readonly #onSinceMs = new Map<number, number>();
  #heartbeat: Heartbeat | null = null;
  #epoch = 0;
  #isComplete: boolean;

  /**
   * `presses`: those of the file it is read from. Without them their numbers begin with the clock, because nobody presses a
   * thousand times a second: no press of this boot gets a number that another one has had.
   */
  constructor(bootId: string, isComplete: boolean, nowMs = 0, presses?: PressNumbers) {
    this.bootId = bootId;
    this.#isComplete = isComplete;
    this.pressNumbers = { entered: Math.floor(nowMs), last: Math.floor(nowMs), ...presses };
  }

  /** The newest link epoch of this boot; 0: none yet. */
  get epoch(): number {
    return this.#epoch;
  }

  /** Whether it is certain that this command has not come in this boot: nothing can have started then. */
  neverCame(commandId: string): boolean {
    return this.#isComplete && !this.#commands.has(commandId) && !this.#traces.has(traceOf(commandId));
  }

  /** For a guard after this one in the same boot. */
  get limits(): EarlierGuard {
    return { onSinceMs: new Map(this.#onSinceMs), heartbeat: this.#heartbeat };
  }

  commandOf(commandId: string): CommandRecord | undefined {
    return this.#commands.get(commandId);
  }

  /** The last commands that are through and whose request the guard knows; the newest last. */
  get lastCommands(): LastCommand[] {
    return [...this.#commands.values()].filter(isNoted).slice(-LAST_COMMANDS).map(lastCommandOf);
  }

  /** Presses that are not in the history. */
  get presses(): PressesReply {
    const { entered, last } = this.pressNumbers;
    const noted = [...this.#commands.values()].filter(isNoted).filter(({ note }) => (note.pressSeq ?? 0) > entered);
    const unentered = noted.map(lastCommandOf).filter((command): command is Press => command.pressSeq !== undefined);
    const upTo = unentered.length > PRESSES_AT_ONCE ? unentered[PRESSES_AT_ONCE - 1]?.pressSeq : last;
    return { entered, upTo: upTo ?? last, presses: unentered.slice(0, PRESSES_AT_ONCE) };
  }

  get size(): number {
    return this.#commands.size;
  }

  /** Whether there is room for one more command, beside `more` that are on their way. */
  hasRoom(more: number, nowMs: number): boolean {
    this.#forget(nowMs);
    if (this.#commands.size + more < MAX_LIVE_COMMANDS) return true;
    // A command that is turned away leaves no trace.
    this.#isComplete = false;
    return false;
  }

  apply(record: JournalRecord, nowMs: number): void {
    if ('epoch' in record) {
      this.#epoch = record.epoch === 0 ? 0 : Math.max(this.#epoch, record.epoch);
      return;
    }
    if ('presence' in record) {
      this.#heartbeat = record.presence;
      return;
    }
    if ('enteredPress' in record) {
      this.pressNumbers.entered = Math.max(record.enteredPress, this.pressNumbers.entered);
      this.pressNumbers.last = Math.max(record.enteredPress, this.pressNumbers.last);
      return;
    }
    if ('output' in record) {
      if (record.onSinceMs === null) this.#onSinceMs.delete(record.output);
      else this.#onSinceMs.set(record.output, record.onSinceMs);
      return;
    }
    if ('forgotten' in record) {
      for (const trace of record.forgotten) this.#keepTrace(trace);
      return;
    }
    if ('outcome' in record) {
      this.#remember(record.outcome.commandId, record);
      this.pressNumbers.last = Math.max(this.pressNumbers.last, record.note?.pressSeq ?? 0);
    } else {
      const known = this.#commands.get(record.started);
      // A compacted file may hold the outcome before the record of the start comes again.
      if (!known || 'started' in known) this.#remember(record.started, record);
    }
    this.#forget(nowMs);
  }

  /** The whole journal as text: what a compacted file holds. */
  text(): string {
    const lines: object[] = [{ bootId: this.bootId, complete: this.#isComplete, presses: this.pressNumbers }];
    if (this.#epoch > 0) lines.push({ epoch: this.#epoch });
    if (this.#heartbeat !== null) lines.push({ presence: this.#heartbeat });
    for (const [output, onSinceMs] of this.#onSinceMs) lines.push({ output, onSinceMs });
    if (this.#traces.size > 0) lines.push({ forgotten: [...this.#traces] });
    lines.push(...this.#commands.values());
    return lines.map((line) => `${JSON.stringify(line)}\n`).join('');
  }

  #remember(commandId: string, record: CommandRecord): void {
    // The newest stand last, so the first one is the oldest.
    this.#commands.delete(commandId);
    this.#commands.set(commandId, record);
  }

  #keepTrace(trace: string): void {
    this.#traces.add(trace);
    const [oldest] = this.#traces;
    if (this.#traces.size <= MAX_TRACES || oldest === undefined) return;
    this.#traces.delete(oldest);
    this.#isComplete = false;
  }

  /** I1: forgets no command that could still start if its frame came again. */
  #forget(nowMs: number): void {
    if (this.#commands.size <= KEPT_OUTCOMES) return;
    for (const [commandId, { startBeforeMs }] of this.#commands) {
      if (startBeforeMs + DEADLINE_MARGIN_MS > nowMs) continue;
      this.#commands.delete(commandId);
      this.#keepTrace(traceOf(commandId));
      if (this.#commands.size <= KEPT_OUTCOMES) return;
    }
  }
}

/** Commands that the status shows. */
type Noted = Outcome & { outcome: { numOutput: number }; note: CommandNote };

/** Excludes commands for outputs that do not exist, and those of a guard that kept no notes. */
function isNoted(record: CommandRecord): record is Noted {
  return 'outcome' in record && record.note !== undefined && record.outcome.numOutput !== undefined;
}

function lastCommandOf({ outcome: { state, ...became }, note }: Noted): LastCommand {
  return { ...note, ...became };
}

export type ReadJournal = { kind: 'read'; memory: JournalMemory } | { kind: 'other-boot' } | { kind: 'corrupt' };

/** If the last line is unfinished, the guard died while it wrote it: what the line announces has not happened. */
export function readJournal(text: string, bootId: string, nowMs: number): ReadJournal {
  const [first, ...lines] = text
    .slice(0, text.lastIndexOf('\n') + 1)
    .split('\n')
    .slice(0, -1);
  const header = parseHeader(jsonIn(first ?? ''));
  if (!header.ok) return { kind: 'corrupt' };
  if (header.value.bootId !== bootId) return { kind: 'other-boot' };
  const memory = new JournalMemory(bootId, header.value.complete, nowMs, header.value.presses);
  for (const line of lines) {
    const record = parseRecord(jsonIn(line));
    if (!record.ok) return { kind: 'corrupt' };
    memory.apply(record.value, nowMs);
  }
  return { kind: 'read', memory };
}

function traceOf(commandId: string): string {
  return createHash('sha256').update(commandId).digest().subarray(0, TRACE_BYTES).toString('base64url');
}
