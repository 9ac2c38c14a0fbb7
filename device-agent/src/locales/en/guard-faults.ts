import type { Quarantined } from '../../files/quarantine';
import type { GuardFileFaults } from '../../runtime/guard-fault';
import type { WordsOf } from '../../runtime/refusal';
import { causeText } from './causes';

/** What a guard says in its log: whoever looks there may have no agent that could look a code up. */
export const GUARD_FILE_FAULTS: WordsOf<GuardFileFaults> = {
  'state-unwritten': ({ problem }) => `state.json cannot be written: ${causeText(problem)}.`,
  'journal-unwritten': ({ problem }) =>
    `the journal cannot be written, so no command is executed: ${causeText(problem)}.`,
  'off-orders-unwritten': ({ problem }) =>
    `The orders that switch everything off without the guard cannot be written: ${causeText(problem)}. If the guard is killed now, relays may stay on until it is back.`,
  'file-corrupt': ({ file, ...aside }) =>
    `${file === 'journal' ? 'the journal' : file} was corrupt; ${quarantineText(aside)}.`,
  'file-unreadable': ({ file, problem, ...aside }) =>
    `${file === 'journal' ? 'the journal' : file} could not be read (${causeText(problem)}); ${quarantineText(aside)}.`,
};

export function quarantineText({ keptAs, keepProblem }: Quarantined): string {
  return keptAs === '' ? `it could not be kept aside (${causeText(keepProblem)})` : `kept aside as ${keptAs}`;
}
