import { INPUT_FIELDS, type OutputSettings } from '@relaygate/shared/device';
import type { ConsoleTranslations } from '../../../locales/console';
import { inputValueInWords } from '../../../locales/input-words';
import type { InputForm, InputFormField } from '../local-messages/inputs';

/** What the page asks for, to say what an input means. */
export function inputForm(t: ConsoleTranslations, outputs: readonly OutputSettings[]): InputForm {
  const named = outputs.map(({ name }, numOutput): [string, string] => [String(numOutput), `${numOutput} (${name})`]);
  const choicesOf = ({ member, choices }: (typeof INPUT_FIELDS)[number]): [string, string][] => {
    if (member === 'output') return named;
    const known = choices.map((choice): [string, string] => [choice, inputValueInWords(t, member, choice)]);
    return member === 'kind' ? [...known, ['none', t.ofInput.remove]] : known;
  };
  const numInput = { member: 'numInput', label: t.inputNumber, choices: [], isNumber: true, isOfButtons: false };
  const others = INPUT_FIELDS.map((field): InputFormField => {
    const { member, isNumber, isOfButtons } = field;
    return { member, label: t.inputMembers[member], choices: choicesOf(field), isNumber, isOfButtons };
  });
  return {
    fields: [numInput, ...others],
    presets: { numInput: '', kind: 'contact', name: '', activeLevel: 'low', output: 0, action: 'pulse' },
    wait: t.inputsWait,
  };
}
