/**
 * What the guard knows of this boot's commands: the pure half of the journal. A command id stands here before its edge
 * (I1), so that neither a repeated frame nor a restarted guard executes it again.
 */
import { createHash } from 'node:crypto';
import { KEPT_OUTCOMES, LAST_COMMANDS } from '@relaygate/shared/device-limits';
import { parserNamed } from '@relaygate/shared/named-parser';
import { jsonIn } from '../files/json-text';
import { isOfButton } from '../runtime/button-command-id';
import type { JournalRecord } from './guard-records';
import type { Heartbeat } from './heartbeat';
import type { EarlierGuard } from './power-on';
import type { LastCommand, PressesReply } from './protocol';
import type { CommandNote, GuardConfirmation } from './requests';

// biome-ignore lint/style/noRestrictedGlobals: loaded where it is needed only.
const load = (): typeof import('./guard-records') => require('./guard-records');
const parseHeader = parserNamed('journal-header', () => load().JournalHeader);
const parseRecord = parserNamed('journal-record', () => load().JournalRecord);

/** `started` without more: the command may have moved its output. */
export type JournaledCommand = { startBeforeMs: number } & (
  | { kind: 'started' }
  | { kind: 'settled'; confirmation: GuardConfirmation; note?: CommandNote }
);

/** Commands that are kept while their deadline is ahead; with so many, one more is refused. I15. */
export const MAX_LIVE_COMMANDS = 4_096;
/**
 * So many older commands leave a trace: a busy device can still tell the server which commands never came. Beyond them
 * nothing is called "never started" in this boot. 200 KB of file and some 2 MB of memory. I15.
 */
export const MAX_TRACES = 16_384;
/** Commands of buttons in one answer, and those that were through at once with the last one: it has to fit into a line. */
const PRESSES_AT_ONCE = 100;
/** 48 bits of a hash: if two are alike, a command that never came counts as one that may have come. */
const TRACE_BYTES = 6;
/** A repeated frame may have its deadline estimated anew, a little later than the first one's. */
const DEADLINE_MARGIN_MS = 1_000;

export class JournalMemory {
  readonly bootId: string;
  readonly #commands = new Map<string, JournaledCommand>();
  readonly #traces = new Set<string>();
  readonly #onSinceMs = new Map<number, number>();
  #heartbeat: Heartbeat | null = null;
  /** Commands of buttons that were forgotten before an agent had entered them; those up to `enteredMs` are entered. */
  #presses = { forgotten: 0, enteredMs: 0, enteredForgotten: 0 };
  #epoch = 0;
  #isComplete: boolean;

  constructor(bootId: string, isComplete: boolean) {
    this.bootId = bootId;
    this.#isComplete = isComplete;
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

  commandOf(commandId: string): JournaledCommand | undefined {
    return this.#commands.get(commandId);
  }

  /** The last commands that are through and whose request the guard knows; the newest last. */
  get lastCommands(): LastCommand[] {
    return [...this.#commands.values()].filter(isNoted).slice(-LAST_COMMANDS).map(lastCommandOf);
  }

  /** Commands of buttons that no agent has entered, the oldest first. */
  get presses(): PressesReply {
    const unentered = [...this.#commands.values()].filter(isNoted).filter((command) => this.#isUnentered(command));
    const lastMs = unentered[PRESSES_AT_ONCE - 1]?.note.atMs ?? Number.POSITIVE_INFINITY;
    return { ...this.#presses, presses: unentered.filter(({ note }) => note.atMs <= lastMs).map(lastCommandOf) };
  }

  /** The journal is an older guard's: its agent has entered all presses that it knew. */
  countPressesAnew(): void {
    this.#presses.forgotten = 0;
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
    if ('presses' in record) {
      const { enteredMs, ...counted } = record.presses;
      Object.assign(this.#presses, counted, { enteredMs: Math.max(enteredMs, this.#presses.enteredMs) });
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
    const { startBeforeMs } = record;
    if ('outcome' in record) {
      const { outcome: confirmation, note } = record;
      const journaled: JournaledCommand = { kind: 'settled', confirmation, startBeforeMs, ...(note ? { note } : {}) };
      this.#remember(confirmation.commandId, journaled);
    } else if (this.#commands.get(record.started)?.kind !== 'settled') {
      // A compacted file may hold the outcome before the record of the start comes again.
      this.#remember(record.started, { kind: 'started', startBeforeMs });
    }
    this.#forget(nowMs);
  }

  /** The whole journal as text: what a compacted file holds. */
  text(): string {
    const lines: object[] = [{ bootId: this.bootId, complete: this.#isComplete }];
    if (this.#epoch > 0) lines.push({ epoch: this.#epoch });
    if (this.#heartbeat !== null) lines.push({ presence: this.#heartbeat });
    lines.push({ forgotten: [], presses: this.#presses });
    for (const [output, onSinceMs] of this.#onSinceMs) lines.push({ output, onSinceMs });
    if (this.#traces.size > 0) lines.push({ forgotten: [...this.#traces] });
    for (const [commandId, journaled] of this.#commands) {
      if (journaled.kind === 'settled') lines.push(outcomeLine(journaled));
      else lines.push({ started: commandId, startBeforeMs: journaled.startBeforeMs });
    }
    return lines.map((line) => `${JSON.stringify(line)}\n`).join('');
  }

  #isUnentered({ confirmation, note }: Noted): boolean {
    return isOfButton(confirmation.commandId) && note.atMs > this.#presses.enteredMs;
  }

  #remember(commandId: string, journaled: JournaledCommand): void {
    // The newest stand last, so the first one is the oldest.
    this.#commands.delete(commandId);
    this.#commands.set(commandId, journaled);
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
    for (const [commandId, journaled] of this.#commands) {
      if (journaled.startBeforeMs + DEADLINE_MARGIN_MS > nowMs) continue;
      if (isNoted(journaled) && this.#isUnentered(journaled)) this.#presses.forgotten += 1;
      this.#commands.delete(commandId);
      this.#keepTrace(traceOf(commandId));
      if (this.#commands.size <= KEPT_OUTCOMES) return;
    }
  }
}

type Settled = Extract<JournaledCommand, { kind: 'settled' }>;
/** Commands that the status shows. */
type Noted = Settled & { confirmation: { numOutput: number }; note: CommandNote };

function outcomeLine({ confirmation, startBeforeMs, note }: Settled): JournalRecord {
  return { outcome: confirmation, startBeforeMs, ...(note ? { note } : {}) };
}

/** Excludes commands for outputs that do not exist, and those of a guard that kept no notes. */
function isNoted(journaled: JournaledCommand): journaled is Noted {
  return journaled.kind === 'settled' && journaled.note !== undefined && journaled.confirmation.numOutput !== undefined;
}

function lastCommandOf({ confirmation: { state, ...became }, note }: Noted): LastCommand {
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
  const memory = new JournalMemory(bootId, header.value.complete);
  let countsPresses = false;
  for (const line of lines) {
    const record = parseRecord(jsonIn(line));
    if (!record.ok) return { kind: 'corrupt' };
    memory.apply(record.value, nowMs);
    countsPresses ||= 'presses' in record.value;
  }
  if (!countsPresses) memory.countPressesAnew();
  return { kind: 'read', memory };
}

function traceOf(commandId: string): string {
  return createHash('sha256').update(commandId).digest().subarray(0, TRACE_BYTES).toString('base64url');
}
