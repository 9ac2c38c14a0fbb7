import type { Fault } from '../runtime/fault';
import { FAULTS } from './en/faults';
import type { FaultWords } from './faults';

/** As it is shown to people and programs: the sentence is in the language that was asked for. */
export interface ShownFault {
  code: string;
  text: string;
}

/** One sentence, for the log in English. A fault of a guard of another version, which has no words here, is shown by its code. */
export function faultText({ code, values }: Fault, words: FaultWords = FAULTS): string {
  const table: Readonly<Record<string, (of: never) => string>> = words;
  const say = Object.hasOwn(table, code) ? table[code] : undefined;
  // `fault` has paired them: what has this code has these values.
  return say === undefined ? code : say(values as never);
}

export function shownFaults(faults: readonly Fault[], words: FaultWords): ShownFault[] {
  return faults.map((fault) => ({ code: fault.code, text: faultText(fault, words) }));
}
