import type { InputStatus } from '../../agent/technician/local-messages/device';
import { COMMON } from './common';

type Inputs = { inputs: readonly InputStatus[] };

/** `contacts`: those that have never changed; `texts`: faults, in the reader's language; `pressed`: since the start. */
export const OF_INPUTS = {
  'inputs-unknown': { found: 'not known without guard and agent', cure: 'see "programs"' },
  'no-inputs': { found: 'none means anything' },
  'inputs-read': ({ inputs }: Inputs) => ({ found: inputsText(inputs) }),
  'inputs-unmoved': ({ inputs, contacts }: Inputs & { contacts: readonly InputStatus[] }) => ({
    found: `${inputsText(inputs)}; never changed since the start: ${names(contacts)}`,
    means: 'nobody knows yet whether it is wired well',
    cure: 'open and close it once, and look again',
  }),
  'inputs-ill': ({
    inputs,
    texts,
    pressed,
  }: Inputs & { texts: readonly string[]; pressed: readonly InputStatus[] }) => ({
    found: [
      ...texts,
      ...(pressed.length === 0 ? [] : [`Pressed since the start: ${names(pressed)}.`]),
      `Inputs: ${inputsText(inputs)}`,
    ].join(' '),
    means: 'a button in this state moves nothing',
    cure: 'check the wiring, and activeLevel of "inputs" and bias of "board.inputs" in settings.json',
  }),
} as const;

function inputsText(inputs: readonly InputStatus[]): string {
  const texts = inputs.map(({ numInput, name, state, level }) => {
    const word = COMMON.inputStates[state ?? 'unknown'];
    return `${numInput} (${name}) ${word}${level === undefined ? '' : `, level ${level}`}`;
  });
  return texts.join('; ');
}

function names(inputs: readonly InputStatus[]): string {
  return inputs.map(({ name }) => `"${name}"`).join(', ');
}
