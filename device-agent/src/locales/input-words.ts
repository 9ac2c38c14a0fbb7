import { known } from './common';
import type { ConsoleTranslations } from './console';

/** Settings of an input, by member. */
export type InputValues = Readonly<Record<string, string | number | boolean>>;

type Tables = Readonly<Record<string, Readonly<Record<string, string>>>>;

export function inputValueInWords(t: ConsoleTranslations, member: string, value: InputValues[string]): string {
  const choices: Tables = { ...t.inputChoices, kind: t.inputKinds };
  return known(choices[member] ?? {}, String(value)) ?? String(value);
}
