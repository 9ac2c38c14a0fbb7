import type { Fault } from '../runtime/fault';
import { FAULTS } from './en/faults';
import type { FaultWords } from './faults';
import { sentenceOf } from './sentence';

/** As it is shown to people and programs: the sentence is in the language that was asked for. */
export interface ShownFault {
  code: string;
  text: string;
}

/** One sentence, for the log in English. A fault that has no words here is shown by its code. */
export function faultText(fault: Fault, words: FaultWords = FAULTS): string {
  return sentenceOf(fault, words) ?? fault.code;
}

export function shownFaults(faults: readonly Fault[], words: FaultWords): ShownFault[] {
  return faults.map((fault) => ({ code: fault.code, text: faultText(fault, words) }));
}
