import type { ShownFault } from '../agent/technician/local-messages/device';
import type { Cause } from '../runtime/cause';
import type { Fault } from '../runtime/fault';
import type { Translated } from './catalogue';
import { causeText } from './en/causes';
import { FAULTS } from './en/faults';
import { sentenceOf } from './sentence';

/** What a fault needs of one language. */
export interface FaultTranslations {
  faults: Translated<typeof FAULTS>;
  /** Why something failed, within a sentence. */
  causeText(cause: Cause): string;
}

const ENGLISH: FaultTranslations = { faults: FAULTS, causeText };

/** One sentence; by default in English, for the log. A fault without words here is shown by its code. */
export function faultText({ code, values, causes }: Fault, { faults, causeText }: FaultTranslations = ENGLISH): string {
  // A cause without words here, as of a newer guard, is said in English.
  const withTexts = Object.entries(causes ?? {}).map(([name, one]) => [name, { text: String(values[name]), ...one }]);
  return sentenceOf({ code, values: { ...values, ...Object.fromEntries(withTexts) } }, faults, causeText) ?? code;
}

export function shownFaults(faults: readonly Fault[], locale: FaultTranslations): ShownFault[] {
  return faults.map((fault) => ({ code: fault.code, text: faultText(fault, locale) }));
}
