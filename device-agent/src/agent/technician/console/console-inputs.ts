/** The page that says what inputs of the board mean, and changes it. */
import { INPUT_FIELDS, type InputField, type InputSettings } from '@relaygate/shared/device';
import { MAX_FEEDBACK_INPUT } from '@relaygate/shared/limits';
import type { ConsoleTranslations } from '../../../locales/console';
import { type InputValues, inputValueInWords } from '../../../locales/input-words';
import type { ConsoleAgent } from './console-agent';
import { chosen, confirmed, type Dialogue } from './dialogue';

const WHOLE_NUMBER = /^\d{1,3}$/;

export async function changeInput(talk: Dialogue, agent: ConsoleAgent): Promise<void> {
  const { t } = talk;
  const { inputs } = await agent.ask('inputs', {});
  await talk.show(inputs.length === 0 ? [t.noInputs] : inputs.map((input) => lineOf(t, input.numInput, input)));
  const answer = await talk.ask(t.whichInput);
  if (answer === '') return;
  const numInput = Number(answer);
  if (!WHOLE_NUMBER.test(answer) || numInput > MAX_FEEDBACK_INPUT) return talk.show([t.noSuchChoice]);
  const before = inputs.find((input) => input.numInput === numInput);
  const choice = before ? await chosen(talk, ['change', 'remove'] as const, (one) => t.ofInput[one]) : 'change';
  if (choice === null) return;
  const change = choice === 'remove' ? null : await askChange(talk, before);
  if (change === undefined) return talk.show([t.nothingDone]);
  const wanted = change === null ? t.noMeaning(numInput) : lineOf(t, numInput, { ...before, ...change });
  if (!(await confirmed(talk, t.reallyInput(wanted)))) return;
  const { mustRestart } = await agent.change('input', { numInput, change });
  await talk.show([t.done, ...(mustRestart ? [t.inputsWait] : [])]);
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
  const { t } = talk;
  const label = t.inputMembers[member];
  await talk.show([now === undefined ? label : t.nowIs(label, inputValueInWords(t, member, now))]);
  if (choices.length > 0) return chosen(talk, choices, (one) => inputValueInWords(t, member, one));
  const answer = await talk.ask(t.newValue);
  if (!isNumber || answer === '') return answer || null;
  if (WHOLE_NUMBER.test(answer)) return Number(answer);
  await talk.show([t.noWholeNumber]);
  return null;
}

function lineOf(t: ConsoleTranslations, numInput: number, input: InputValues): string {
  const values = INPUT_FIELDS.filter(({ isOfButtons }) => !isOfButtons || input.kind === 'button').map(
    ({ member, preset = '-' }) => `${t.inputMembers[member]} ${inputValueInWords(t, member, input[member] ?? preset)}`,
  );
  return `${String(numInput).padStart(2)}  ${values.join(', ')}`;
}
