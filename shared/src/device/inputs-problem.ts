import { inputProblem } from './board-problem';
import type { GuardSettings } from './guard-settings';
import type { ButtonSettings, InputSettings } from './input-settings';
import type { OutputSettings } from './output-settings';

/** A fault of the inputs' settings that no schema can find: a phrase that begins with the member. Null if there is none. */
export function inputsProblem({ board, outputs, inputs = [] }: GuardSettings): string | null {
  for (const [n, input] of inputs.entries()) {
    const { numInput } = input;
    const missing = inputProblem(board, numInput);
    if (missing !== null) return `inputs.${n}.numInput ${missing}`;
    const use = useOfInput(numInput, outputs, inputs.slice(0, n));
    if (use !== null) return `inputs.${n}.numInput: ${use}`;
    const problem = input.kind === 'button' ? (buttonProblem(input, outputs) ?? holdProblem(input, inputs)) : null;
    if (problem !== null) return `inputs.${n}.${problem}`;
  }
  return null;
}

/** What the input is for already, as a phrase; null: nothing. An input has one meaning. */
export function useOfInput(
  numInput: number,
  outputs: readonly OutputSettings[],
  inputs: readonly InputSettings[] = [],
): string | null {
  const shown = outputs.findIndex(({ feedbackInput }) => feedbackInput === numInput);
  if (shown >= 0) return `input ${numInput} shows output ${shown} already`;
  const meant = inputs.findIndex((input) => input.numInput === numInput);
  return meant < 0 ? null : `input ${numInput} is inputs.${meant} already`;
}

/** A button that could never move anything, or would without a limit. */
function buttonProblem(
  { output: numOutput, action }: ButtonSettings,
  outputs: readonly OutputSettings[],
): string | null {
  const output = outputs[numOutput];
  if (output === undefined) return `output is ${numOutput}, but there are ${outputs.length} outputs`;
  const mode = action === 'pulse' ? 'impulse' : 'on-off';
  if (output.mode !== mode) return `action is ${action}, which is for ${mode} outputs, and output ${numOutput} is not`;
  if (action !== 'hold') return null;
  if (!output.maxOnMs) return `action is hold, and output ${numOutput} has no maxOnMs`;
  // It would come on again with nobody at the button.
  return output.powerOn === 'off' ? null : `action is hold, and powerOn of output ${numOutput} is not off`;
}

/** What one of two holds on, the other would switch off. */
function holdProblem({ numInput, output, action }: ButtonSettings, inputs: readonly InputSettings[]): string | null {
  const isOther = (one: InputSettings) =>
    one.kind === 'button' && one.numInput !== numInput && one.output === output && one.action === 'hold';
  return action === 'hold' && inputs.some(isOther) ? `output ${output} has another button with action hold` : null;
}
