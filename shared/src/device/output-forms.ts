/**
 * Where people set outputs without relayctl, which offers every setting. The site file and the forms of console and page follow
 * from these lists; a translation that lacks a member does not compile.
 */
import { choicesOf, OUTPUT_SETTINGS, type OutputSettings, rangeOf } from './output-settings';

/** No form has a way to enter null. */
type Member = { [M in keyof OutputSettings]-?: null extends OutputSettings[M] ? never : M }[keyof OutputSettings];

/** In the order in which they are asked for. */
export const OUTPUT_FORMS = {
  site: ['name', 'mode', 'pulseMs'],
  console: ['name', 'mode', 'powerOn', 'pulseMs'],
  page: ['pulseMs', 'name', 'mode'],
} as const satisfies Readonly<Record<string, readonly Member[]>>;
type Form = keyof typeof OUTPUT_FORMS;
export type FormMember<F extends Form> = (typeof OUTPUT_FORMS)[F][number];

/** Names for what the members of a form have to choose from. */
export type ChoiceWords<F extends Form> = {
  readonly [M in FormMember<F> as IsChoice<Required<OutputSettings>[M]> extends true ? M : never]: Readonly<
    Record<Required<OutputSettings>[M], string>
  >;
};
type IsChoice<T> = string extends T ? false : number extends T ? false : true;

/** One of its choices, a number of milliseconds in its range, or else a text. */
export interface OutputField<M extends Member = Member> {
  member: M;
  choices: readonly string[];
  rangeMs: { least: number; most: number } | null;
}

export function fieldOf<M extends Member>(member: M): OutputField<M> {
  const { schema } = OUTPUT_SETTINGS[member];
  return { member, choices: choicesOf(schema), rangeMs: rangeOf(schema) };
}
