/**
 * What people say of an input without relayctl, which offers every setting. The forms of console and page follow from this list; a
 * translation that lacks a member does not compile.
 */
import { INPUT_SETTINGS, isOfButtons } from './input-settings';
import { choicesOf, rangeOf } from './output-settings';

const INPUT_FORM = ['kind', 'name', 'activeLevel', 'output', 'action'] as const;
export type InputMember = (typeof INPUT_FORM)[number];

/** One of its choices, a whole number, or else a text. */
export interface InputField {
  member: InputMember;
  choices: readonly string[];
  isNumber: boolean;
  /** Contacts do not have it. */
  isOfButtons: boolean;
  /** What counts where nobody has said it; absent: somebody must. */
  preset?: string;
}

/** In the order in which they are asked for. */
export const INPUT_FIELDS: readonly InputField[] = INPUT_FORM.map((member) => {
  const { schema } = INPUT_SETTINGS[member];
  const choices: readonly string[] = choicesOf(schema);
  const preset = typeof schema.default === 'string' ? { preset: schema.default } : {};
  return { member, choices, isNumber: rangeOf(schema) !== null, isOfButtons: isOfButtons(member), ...preset };
});
