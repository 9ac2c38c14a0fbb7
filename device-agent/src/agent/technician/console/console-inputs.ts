/** The page that says what inputs of the board mean, and changes it. */
import { INPUT_FIELDS, type InputField, type InputSettings } from '@relaygate/shared/device';
import { MAX_FEEDBACK_INPUT } from '@relaygate/shared/limits';
import type { Words } from '../../../locales/console';
import { type InputValues, inputValueInWords } from '../../../locales/input-words';
import type { ConsoleAgent } from './console-agent';
import { chosen, confirmed, type Dialogue } from './dialogue';

const WHOLE_NUMBER = /^\d{1,3}$/;

export async function changeInput(talk: Dialogue, agent: ConsoleAgent): Promise<void> {
  const { words } = talk;
  const { inputs } = await agent.ask('inputs', {});
  await talk.show(inputs.length === 0 ? [words.noInputs] : inputs.map((input) => lineOf(words, input.numInput, input)));
  const answer = await talk.ask(words.whichInput);
  if (answer === '') return;
  const numInput = Number(answer);
  if (!WHOLE_NUMBER.test(answer) || numInput > MAX_FEEDBACK_INPUT) return talk.show([words.noSuchChoice]);
  const before = inputs.find((input) => input.numInput === numInput);
  const choice = before ? await chosen(talk, ['change', 'remove'] as const, (one) => words.ofInput[one]) : 'change';
  if (choice === null) return;
  const change = choice === 'remove' ? null : await askChange(talk, before);
  if (change === undefined) return talk.show([words.nothingDone]);
  const wanted = change === null ? words.noMeaning(numInput) : lineOf(words, numInput, { ...before, ...change });
  if (!(await confirmed(talk, words.reallyInput(wanted)))) return;
  const { mustRestart } = await agent.change('input', { numInput, change });
  await talk.show([words.done, ...(mustRestart ? [words.inputsWait] : [])]);
}

/** undefined: one that must be there was not given. */
async function askChange(talk: Dialogue, before: InputSettings | undefined): Promise<InputValues | undefined> {
  let change: InputValues = {};
  for (const field of INPUT_FIELDS) {
    const values: InputValues = { ...before, ...change };
    if (field.isOfButtons && values.kind !== 'button') continue;
    const now = values[field.member] ?? field.preset;
    const value = await askValue(talk, field, now);
    if (value === null && now === undefined) return undefined;
    if (value !== null) change = { ...change, [field.member]: value };
  }
  return change;
}

/** null: it is to stay as it is. */
async function askValue(
  talk: Dialogue,
  { member, choices, isNumber }: InputField,
  now: InputValues[string] | undefined,
): Promise<string | number | null> {
  const { words } = talk;
  const label = words.inputMembers[member];
  await talk.show([now === undefined ? label : words.nowIs(label, inputValueInWords(words, member, now))]);
  if (choices.length > 0) return chosen(talk, choices, (one) => inputValueInWords(words, member, one));
  const answer = await talk.ask(words.newValue);
  if (!isNumber || answer === '') return answer || null;
  if (WHOLE_NUMBER.test(answer)) return Number(answer);
  await talk.show([words.noWholeNumber]);
  return null;
}

function lineOf(words: Words, numInput: number, input: InputValues): string {
  const values = INPUT_FIELDS.filter(({ isOfButtons }) => !isOfButtons || input.kind === 'button').map(
    ({ member, preset = '-' }) =>
      `${words.inputMembers[member]} ${inputValueInWords(words, member, input[member] ?? preset)}`,
  );
  return `${String(numInput).padStart(2)}  ${values.join(', ')}`;
}
