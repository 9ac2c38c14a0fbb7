import type { Quarantined } from '../../files/quarantine';
import type { GuardFileFaults } from '../../runtime/fault';
import type { WordsOf } from '../sentence';

/** What a guard says in its log: whoever looks there may have no agent that could look a code up. */
export const GUARD_FILE_FAULTS: WordsOf<GuardFileFaults> = {
  'state-unwritten': ({ problem }) => `state.json cannot be written: ${problem}.`,
  'journal-unwritten': ({ problem }) => `the journal cannot be written, so no command is executed: ${problem}.`,
  'off-orders-unwritten': ({ problem }) =>
    `The orders that switch everything off without the guard cannot be written: ${problem}. If the guard is killed now, relays may stay on until it is back.`,
  'file-corrupt': ({ file, ...aside }) =>
    `${file === 'journal' ? 'the journal' : file} was corrupt; ${quarantineText(aside)}.`,
  'file-unreadable': ({ file, problem, ...aside }) =>
    `${file === 'journal' ? 'the journal' : file} could not be read (${problem}); ${quarantineText(aside)}.`,
};

export function quarantineText({ keptAs, keepProblem }: Quarantined): string {
  return keptAs === '' ? `it could not be kept aside (${keepProblem})` : `kept aside as ${keptAs}`;
}
