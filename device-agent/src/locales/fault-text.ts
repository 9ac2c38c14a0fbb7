import type { ShownFault } from '../agent/technician/local-messages/device';
import type { Fault } from '../runtime/fault';
import { causeText } from './en/causes';
import { FAULTS } from './en/faults';
import type { Locale } from './locale';
import { sentenceOf } from './sentence';

const ENGLISH = { faults: FAULTS, causeText };

/** One sentence, for the log in English. A fault that has no words here is shown by its code. */
export function faultText(
  { code, values, causes }: Fault,
  { faults, causeText }: Pick<Locale, 'faults' | 'causeText'> = ENGLISH,
): string {
  // What of them has no words here, as one of a newer guard, is said in English.
  const withTexts = Object.entries(causes ?? {}).map(([name, one]) => [name, { text: String(values[name]), ...one }]);
  return sentenceOf({ code, values: { ...values, ...Object.fromEntries(withTexts) } }, faults, causeText) ?? code;
}

export function shownFaults(faults: readonly Fault[], locale: Locale): ShownFault[] {
  return faults.map((fault) => ({ code: fault.code, text: faultText(fault, locale) }));
}
