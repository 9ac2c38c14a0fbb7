/** What is wrong with a guard now: a word for programs with its values, of which a sentence is made where it is shown. */
import type { Quarantined } from '../files/quarantine';

type Problem = { problem: string };
type OfInput = { numInput: number; name: string };
type OfOutput = { numOutput: number; name: string };

/** Of the board and what hangs on its lines. `problem`, here and below, is a FailureCode, or the system's own words. */
export interface LineFaults {
  'output-stuck': OfOutput & Problem;
  'output-not-asked': OfOutput & Problem;
  'output-unproven': OfOutput;
  'interlock-alone': OfOutput & { interlock: string };
  'interlock-unread': OfOutput & { interlock: string };
  'input-flapping': OfInput;
  'input-unread': OfInput;
  'button-stuck': OfInput;
  'tamper-open': OfInput;
  'board-away': Problem;
}

/** Of the guard's files. */
export interface GuardFileFaults {
  'state-unwritten': Problem;
  'journal-unwritten': Problem;
  'off-orders-unwritten': Problem;
  'file-corrupt': { file: string } & Quarantined;
  'file-unreadable': { file: string } & Problem & Quarantined;
}

export interface GuardFaults extends LineFaults, GuardFileFaults {}

/** As it goes from the guard to the agent. */
export type GuardFault = { [Code in keyof GuardFaults]: { code: Code; values: GuardFaults[Code] } }[keyof GuardFaults];
