import type { ConsoleLanguage } from '@relaygate/shared/device';
import { ENGLISH_FAULTS } from './english';
import type { Fault, FaultWords } from './fault';
import { faultText } from './fault-text';
import { FRENCH_FAULTS } from './french';

/** As it is shown to people and programs: the sentence is in the language that was asked for. */
export interface ShownFault {
  code: string;
  text: string;
}

const WORDS: Record<ConsoleLanguage, FaultWords> = { en: ENGLISH_FAULTS, fr: FRENCH_FAULTS };

export function shownFaults(faults: readonly Fault[], language: ConsoleLanguage): ShownFault[] {
  return faults.map((fault) => ({ code: fault.code, text: faultText(fault, WORDS[language]) }));
}
