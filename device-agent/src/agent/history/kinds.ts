/** What an entry of the history may be about. Entries of other agents, older or newer, may be of other kinds. */
export type HistoryKind = ChangeKind | TechnicianActionKind | PlannedKind | AftermathKind;

/** Settings, board or PIN were changed. */
export type ChangeKind = 'output' | 'input' | 'board' | 'pin';
/** Entered with what became of it. */
export type TechnicianActionKind =
  | 'set-on'
  | 'set-off'
  | 'pulse'
  | 'stop'
  | 'click'
  | 'button'
  | 'web-on'
  | 'web-on-wifi'
  | 'web-off';
/** Entered before it is done. */
export type PlannedKind = 'lock' | 'unlock' | 'proof';
/** What became of an entry, or what nobody has said. */
type AftermathKind = 'known-later' | 'not-done' | 'not-confirmed' | 'not-in-file' | 'by-hand';

/** Kinds that a file besides the settings records; the file names the entry that it was last written for. */
export const LOCK_KINDS: readonly PlannedKind[] = ['lock', 'unlock'];
export const PROOF_KINDS: readonly PlannedKind[] = ['proof'];
