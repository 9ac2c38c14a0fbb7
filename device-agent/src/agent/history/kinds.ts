/** What an entry of the history may be about. Entries of other agents, older or newer, may be of other kinds. */
export type HistoryKind = ChangeKind | DeedKind | PlannedKind | AftermathKind;

/** Settings, board or PIN were changed. */
export type ChangeKind = 'output' | 'board' | 'pin';
/** Entered with what became of it. */
export type DeedKind = 'set-on' | 'set-off' | 'pulse' | 'click' | 'proof' | 'web-on' | 'web-off';
/** Entered before it is done. */
export type PlannedKind = 'lock' | 'unlock';
/** What became of an entry, or what nobody has told. */
type AftermathKind = 'not-done' | 'not-confirmed' | 'not-in-file' | 'by-hand';

const PLANNED_KINDS: ReadonlySet<string> = new Set<PlannedKind>(['lock', 'unlock']);

export function isPlanned({ kind }: { kind: string }): boolean {
  return PLANNED_KINDS.has(kind);
}
