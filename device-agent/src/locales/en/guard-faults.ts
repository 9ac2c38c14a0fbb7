import type { Quarantined } from '../../files/quarantine';
import { causeText } from './causes';

/** A file that could not be used; `keptAs` empty: it could not be moved. */
export type Quarantine = { keptAs: string; keepProblem: string };

/** What a guard says in its log, whose reader may have no agent to look codes up. */
export const GUARD_FILE_FAULTS = {
  'state-unwritten': 'state.json cannot be written: {problem}.',
  'journal-unwritten': 'the journal cannot be written, so no command is executed: {problem}.',
  'off-orders-unwritten':
    'The orders that switch everything off without the guard cannot be written: {problem}. If the guard is killed now, relays may stay on until it is back.',
  'file-corrupt': ({ file, ...aside }: { file: string } & Quarantine) =>
    `${file === 'journal' ? 'the journal' : file} was corrupt; ${quarantineText(aside)}.`,
  'file-unreadable': ({ file, problem, ...aside }: { file: string; problem: string } & Quarantine) =>
    `${file === 'journal' ? 'the journal' : file} could not be read (${problem}); ${quarantineText(aside)}.`,
} as const;

export function quarantineText({ keptAs, keepProblem }: Quarantined): string {
  return keptAs === '' ? `it could not be kept aside (${causeText(keepProblem)})` : `kept aside as ${keptAs}`;
}
