import type { Cause } from '../runtime/cause';
import type { Translated, ValuesOf } from './catalogue';
import type { FINDING_NAMES, FINDINGS } from './en/findings';
import { filled, shownValues } from './sentence';

/** `found`: what was seen; `means`: what that leads to; `cure`: what to do. Empty without. */
export interface Sentences {
  found: string;
  means?: string;
  cure?: string;
}

/** All that the doctor can find, with what its sentences are made of. */
export type FindingValues = ValuesOf<typeof FINDINGS, Cause | number | readonly (string | number)[]>;
export type FindingWords = Translated<typeof FINDINGS, Sentences>;

/** Its name in English is the one for programs. */
export type FindingName = keyof typeof FINDING_NAMES;

export function findingIn<Code extends keyof FindingValues>(
  words: FindingWords,
  code: Code,
  values: FindingValues[Code],
  causeText: (of: Cause) => string,
): Sentences {
  const said = words[code] as Sentences | ((shown: object) => Sentences);
  const shown = shownValues(values, causeText);
  if (typeof said === 'function') return said(shown);
  const texts = Object.entries(said).map(([part, text]) => [part, filled(text, shown)]);
  return Object.fromEntries(texts);
}
