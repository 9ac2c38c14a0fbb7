import type { LineFaults } from '../../runtime/fault';
import type { WordsOf } from '../sentence';

export const LINE_FAULTS: WordsOf<LineFaults> = {
  'output-stuck': ({ numOutput, name, problem }) =>
    `Output ${numOutput} (${name}) cannot be switched off (${problem}); it is tried again.`,
  'output-not-asked': ({ numOutput, name, problem }) =>
    `Output ${numOutput} (${name}) could not be asked how it is (${problem}).`,
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
  'board-away': ({ problem }) => `The relay board is away: ${problem}.`,
};
