import type { Cause } from '../runtime/cause';
import type { Translated, ValuesOf } from './catalogue';
import type { FINDING_NAMES, FINDINGS } from './en/findings';
import { filled, shownValues } from './sentence';

/** `found`: what was found; `means`: what follows from it; `cure`: what to do. Empty if nothing. */
export interface Sentences {
  found: string;
  means?: string;
  cure?: string;
}

/** All that the doctor can find, with what its sentences are made of. */
export type FindingValues = ValuesOf<typeof FINDINGS, Cause | number | readonly (string | number)[]>;
export type FindingTranslations = Translated<typeof FINDINGS, Sentences>;

/** The English name is also the one for programs. */
export type FindingName = keyof typeof FINDING_NAMES;

export function findingIn<Code extends keyof FindingValues>(
  t: FindingTranslations,
  code: Code,
  values: FindingValues[Code],
  causeText: (of: Cause) => string,
): Sentences {
  const said = t[code] as Sentences | ((shown: object) => Sentences);
  const shown = shownValues(values, causeText);
  if (typeof said === 'function') return said(shown);
  const texts = Object.entries(said).map(([part, text]) => [part, filled(text, shown)]);
  return Object.fromEntries(texts);
}
