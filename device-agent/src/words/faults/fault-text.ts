import type { ConsoleLanguage } from '@relaygate/shared';
import { ENGLISH_FAULTS } from './english';
import type { Fault, FaultWords } from './fault';
import { FRENCH_FAULTS } from './french';

/** As people and programs are told of it: the sentence is in the language that was asked for. */
export interface ToldFault {
  code: string;
  text: string;
}

const WORDS: Record<ConsoleLanguage, FaultWords> = { en: ENGLISH_FAULTS, fr: FRENCH_FAULTS };

/** One sentence. A fault of a guard of another version, which has no words here, is told by its code. */
export function faultText({ code, values }: Fault, language: ConsoleLanguage = 'en'): string {
  const table: Readonly<Record<string, (of: never) => string>> = WORDS[language];
  const words = Object.hasOwn(table, code) ? table[code] : undefined;
  // `fault` has paired them: what has this code has these values.
  return words === undefined ? code : words(values as never);
}

export function toldFaults(faults: readonly Fault[], language: ConsoleLanguage): ToldFault[] {
  return faults.map((fault) => ({ code: fault.code, text: faultText(fault, language) }));
}
