import type { CommandRecord } from '@relaygate/server/commands/command-store';
import type { OutputSettings } from '@relaygate/shared/device';
import type { Span } from '../checker/span';
import type { StoreMode } from '../ports/database/store-mode';
import type { StoredCall } from '../ports/database/stored-call';
import type {
  Absence,
  ContactChange,
  Edge,
  FoundOff,
  InputChange,
  InputLook,
  LineLook,
  OffAsked,
  Renewal,
} from './board-records';
import type { LinkRecord } from './link-record';
import type { AskedLock, AskedOnSite, Deed, MadePin, PageVisit, Wiping, Wish } from './on-site-records';

/** What happened, in true time, as seen from outside the programs: the checker's only source. */
export interface History {
  readonly edges: Edge[];
  /** Orders of commands that a board carried out on a line that was active already: a pulse is made longer. */
  readonly renewals: Renewal[];
  readonly foundOff: FoundOff[];
  readonly offsAsked: OffAsked[];
  /** What feedback inputs show, from then on. */
  readonly inputs: InputChange[];
  /** What contacts and buttons really do; `clockMs`: the same on the device's clock. */
  readonly contacts: (ContactChange & { clockMs: number })[];
  /** What devices sent to their server of them, by the input's number. */
  readonly shownInputs: { machine: string; atMs: number; states: ReadonlyMap<number, string | null> }[];
  /** How guards looked at them. */
  readonly looks: InputLook[];
  /** What their boards told them of relays, beside orders. */
  readonly lineLooks: LineLook[];
  /** When a guard could not reach its board. */
  readonly absences: Absence[];
  /** What guards told of that. */
  readonly boardReports: { machine: string; atMs: number; isAway: boolean }[];
  /** Commands that a guard wrote down before their edge, by the deadline in its journal. */
  readonly starts: Start[];
  /** Commands that are through, by the guard's own word. */
  readonly settled: Settled[];
  /** Commands that an agent handed to its guard. */
  readonly asked: AskedCommand[];
  /** What guards said of commands. */
  readonly verdicts: Verdict[];
  readonly sent: SentCommand[];
  readonly welcomes: Welcome[];
  /** Every link that a device has dialled and the server has taken, in that order. */
  readonly links: LinkRecord[];
  /** What the server's wall clock was ahead of its start plus true time, from then on. */
  readonly wallJumps: { atMs: number; jumpedMs: number }[];
  /** Machines that claim to be another's product without its key. */
  readonly impostors: { machine: string; fromMs: number; untilMs: number }[];
  /** Every write that the database took, and the reads of authorisations. */
  readonly stored: StoredCall[];
  /** What the server asked of its writer, in that order. */
  readonly writes: AskedWrite[];
  /** What its writer thread tried to commit at once. */
  readonly groups: WrittenGroup[];
  /** Commands that acquired their product's command slot: the server begins to write them down. */
  readonly taken: TakenCommand[];
  /** The server asks what a key stands for: no command with it is in flight then. */
  readonly keyReads: { clientId: string; key: string; atMs: number }[];
  /** Link epochs that reached a guard. */
  readonly guardEpochs: { machine: string; epoch: number; atMs: number }[];
  readonly guardStarts: GuardStart[];
  readonly calls: Call[];
  readonly lives: Life[];
  /** What technicians asked of a device's settings, in that order. */
  readonly wishes: Wish[];
  /** What technicians asked of maintenance locks, in that order. */
  readonly locks: AskedLock[];
  /** All that technicians asked, in that order. */
  readonly deeds: Deed[];
  /** PINs that were asked for, in that order. */
  readonly pins: MadePin[];
  readonly visits: PageVisit[];
  /** Factory resets that technicians asked for, in that order. */
  readonly resets: AskedOnSite[];
  /** Those of which the disk took the mark. */
  readonly wipings: Wiping[];
  /** Files that a reset began with although nothing said that one was begun. */
  readonly unmarked: { machine: string; path: string; atMs: number }[];
  /** Enrolment codes that were put on a device's card. */
  readonly codes: { machine: string; atMs: number }[];
  /** What guards that ended in order left in their journals. */
  readonly lastJournals: { machine: string; atMs: number; text: string }[];
  /** When a process, a board or the database did not do its work. */
  readonly troubles: Trouble[];
  /** What was wrong with what was reported to listeners for changes. */
  readonly changeFaults: { atMs: number; text: string }[];
  /** What no invariant speaks of, and yet must not be: a program that failed by itself. */
  readonly uncaught: { atMs: number; text: string }[];
}

export interface AskedWrite {
  name: string;
  askedMs: number;
  /** null: it never was. */
  settledMs: number | null;
}

export interface WrittenGroup {
  atMs: number;
  mode: StoreMode;
  /** How many were answered. */
  writes: number;
  refused: number;
  /** Whose deadline was over before it was begun. */
  late: number;
  /** Members that could not be done by themselves. */
  failed: number;
}

export interface AskedCommand {
  machine: string;
  commandId: string;
  numOutput: number;
  command:
    | { action: 'set'; state: 0 | 1 }
    | { action: 'toggle' }
    | { action: 'pulse' }
    | { action: 'stop'; pulseSinceMs: number | null };
  /** Of the link that brought it; null: a technician's. */
  epoch: number | null;
  /** Who wants it, as the guard is told. */
  by: string;
  atMs: number;
  /** It waited for a guard that hung. */
  hasWaited: boolean;
}

export interface Start {
  machine: string;
  commandId: string;
  startBeforeMs: number;
  atMs: number;
}

export interface Settled {
  machine: string;
  /** Of the machine, whatever the guard is told. */
  bootId: string;
  commandId: string;
  numOutput: number;
  outcome: string;
  reason: string | null;
  /** Who wanted it; null: nobody said. */
  by: string | null;
  /** When it was through, on the guard's clock. */
  clockMs: number;
  /** When it was in the journal, for the next guard of this boot. */
  atMs: number;
}

/** What a guard finds when it starts. */
export interface GuardStart {
  machine: string;
  atMs: number;
  /** Of the machine, whatever the guard is told. */
  bootId: string;
  /** In settings.json; none where it was not read. */
  outputs: readonly OutputSettings[];
  /** In state.json; null: there is none. */
  state: { bootId: string | null; active: Record<string, boolean> } | null;
  /** When it wrote or synced its state file, until it heard of that. */
  stateWrites: Span[];
}

export interface Verdict {
  machine: string;
  commandId: string;
  outcome: string;
  reason: string | null;
  /** To the command itself, not to a question about it later. */
  isReply: boolean;
  atMs: number;
}

interface TakenCommand {
  atMs: number;
  record: CommandRecord;
}

interface SentCommand {
  atMs: number;
  productLogin: string;
  commandId: string;
  epoch: number;
}

interface Welcome {
  atMs: number;
  productLogin: string;
  epoch: number;
}

export interface Life {
  /** Of the process: `server`, `guard gate-1`, ... */
  name: string;
  fromMs: number;
  readyMs: number | null;
  untilMs: number | null;
  bootId: string;
  /** It was asked to end in order; `isDone`: and has. */
  stop: { askedMs: number; isDone: boolean } | null;
}

export interface Trouble {
  /** Of the process or machine. */
  name: string;
  /** `journal`: what is written to the tmpfs waits. */
  kind: 'stall' | 'stop' | 'board' | 'disk' | 'journal' | 'storage';
  /** The only one that has it; all of the machine's where it is missing. */
  output?: number;
  /** What of it lasts beyond its end: what was asked for meanwhile, until it is through. */
  afterMs?: number;
  fromMs: number;
  untilMs: number;
}

export interface Call {
  client: string;
  request: ClientRequest;
  startMs: number;
  arrivedMs: number | null;
  /** When the server had its answer ready. */
  answeredMs: number | null;
  /** When the client read it; null: it never came. */
  receivedMs: number | null;
  /** The server's, read or not. */
  answer: CallAnswer | null;
}

export type ClientRequest =
  | { kind: 'login' }
  | { kind: 'refresh'; familyId: string; generation: number }
  | { kind: 'associate'; productLogin: string }
  | { kind: 'dissociate'; productLogin: string }
  | { kind: 'state'; productLogin: string }
  | { kind: 'status'; commandId: string }
  | { kind: 'set'; productLogin: string; numOutput: number; state: 0 | 1; key?: string }
  | { kind: 'toggle'; productLogin: string; numOutput: number; key?: string };

export interface CallAnswer {
  /** `ok`, `already-set`, or the code of an error. */
  code: string;
  commandId?: string | undefined;
  /** As the header `Idempotent-Replayed` says. */
  isReplayed?: boolean;
  body?: unknown;
}

export function newHistory(): History {
  return {
    edges: [],
    renewals: [],
    foundOff: [],
    offsAsked: [],
    inputs: [],
    contacts: [],
    shownInputs: [],
    looks: [],
    lineLooks: [],
    absences: [],
    boardReports: [],
    starts: [],
    settled: [],
    asked: [],
    verdicts: [],
    sent: [],
    welcomes: [],
    links: [],
    wallJumps: [],
    impostors: [],
    stored: [],
    writes: [],
    groups: [],
    taken: [],
    keyReads: [],
    guardEpochs: [],
    guardStarts: [],
    calls: [],
    lives: [],
    wishes: [],
    locks: [],
    deeds: [],
    pins: [],
    visits: [],
    resets: [],
    wipings: [],
    unmarked: [],
    codes: [],
    lastJournals: [],
    troubles: [],
    changeFaults: [],
    uncaught: [],
  };
}
