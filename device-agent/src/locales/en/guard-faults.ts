import type { Quarantined } from '../../files/quarantine';
import type { GuardFaults } from '../../runtime/guard-fault';
import type { WordsOf } from '../../runtime/refusal';
import { causeText } from './causes';

/** What a guard loads of them, with the causes, for its log: whoever looks there may have no agent that could look them up. */
export const GUARD_FAULTS: WordsOf<GuardFaults> = {
  'output-stuck': ({ numOutput, name, problem }) =>
    `Output ${numOutput} (${name}) cannot be switched off (${causeText(problem)}); it is tried again.`,
  'output-not-asked': ({ numOutput, name, problem }) =>
    `Output ${numOutput} (${name}) could not be asked how it is (${causeText(problem)}).`,
  'output-unproven': ({ numOutput, name }) =>
    `Output ${numOutput} (${name}) was switched, and its feedback input does not show it.`,
  'interlock-alone': ({ numOutput, name, interlock }) =>
    `Output ${numOutput} (${name}) is alone in its interlock "${interlock}".`,
  'interlock-unread': ({ numOutput, name, interlock }) =>
    `Output ${numOutput} (${name}) cannot be read back, so no other output of its interlock "${interlock}" goes on: use a board that answers, or take the interlock away.`,
  'input-flapping': ({ numInput, name }) =>
    `Input ${numInput} (${name}) changes all the time, so nobody knows what it shows: look at its wiring.`,
  'input-unread': ({ numInput, name }) => `Input ${numInput} (${name}) cannot be read; it is tried again.`,
  'button-stuck': ({ numInput, name }) =>
    `Button ${numInput} (${name}) has been pressed for too long: it moves nothing until it was released.`,
  'tamper-open': ({ numInput, name }) => `Tamper contact ${numInput} (${name}) is open.`,
  'board-away': ({ problem }) => `The relay board is away: ${causeText(problem)}.`,
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
