import { known } from './common';
import type { Words } from './console';

/** Settings of an input, by member. */
export type InputValues = Readonly<Record<string, string | number | boolean>>;

type Tables = Readonly<Record<string, Readonly<Record<string, string>>>>;

export function inputValueInWords(words: Words, member: string, value: InputValues[string]): string {
  const choices: Tables = { ...words.inputChoices, kind: words.inputKinds };
  return known(choices[member] ?? {}, String(value)) ?? String(value);
}
