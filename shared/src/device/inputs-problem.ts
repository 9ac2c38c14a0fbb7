import { inputProblem } from './board-problem';
import type { GuardSettings } from './guard-settings';
import type { ButtonSettings, InputSettings } from './input-settings';
import type { OutputSettings } from './output-settings';
import { type Fault, settingsFault } from './settings-fault';

type Outputs = readonly OutputSettings[];
type Inputs = readonly InputSettings[];

/** A fault of the inputs' settings that no schema can find; null if there is none. */
export function inputsProblem({ board, outputs, inputs = [] }: GuardSettings): Fault | null {
  for (const [n, input] of inputs.entries()) {
    const { numInput } = input;
    const member = `inputs.${n}.numInput`;
    const unfit = inputProblem(board, member, numInput) ?? useOfInput(member, numInput, outputs, inputs.slice(0, n));
    if (unfit !== null) return unfit;
    const wrong = input.kind === 'button' ? (buttonProblem(n, input, outputs) ?? holdProblem(n, input, inputs)) : null;
    if (wrong !== null) return wrong;
  }
  return null;
}

/** What the input, which `member` names, is for already; null: nothing. An input has one meaning. */
export function useOfInput(member: string, input: number, outputs: Outputs, inputs: Inputs = []): Fault | null {
  const shown = outputs.findIndex(({ feedbackInput }) => feedbackInput === input);
  if (shown >= 0) return settingsFault('input-is-feedback', { member, input, numOutput: shown });
  const meant = inputs.findIndex(({ numInput }) => numInput === input);
  return meant < 0 ? null : settingsFault('input-has-meaning', { member, input, n: meant });
}

/** A button that could never move anything, or would without a limit. */
function buttonProblem(n: number, { output: numOutput, action }: ButtonSettings, outputs: Outputs): Fault | null {
  const output = outputs[numOutput];
  if (output === undefined) return settingsFault('button-no-output', { n, numOutput, count: outputs.length });
  const mode = action === 'pulse' ? 'impulse' : 'on-off';
  if (output.mode !== mode) return settingsFault('button-of-mode', { n, action, mode, numOutput });
  if (action !== 'hold') return null;
  if (!output.maxOnMs) return settingsFault('hold-without-limit', { n, numOutput });
  // It would come on again with nobody at the button.
  return output.powerOn === 'off' ? null : settingsFault('hold-power-on', { n, numOutput });
}

/** What one of two holds on, the other would switch off. */
function holdProblem(n: number, { numInput, output, action }: ButtonSettings, inputs: Inputs): Fault | null {
  const isOther = (one: InputSettings) =>
    one.kind === 'button' && one.numInput !== numInput && one.output === output && one.action === 'hold';
  return action === 'hold' && inputs.some(isOther) ? settingsFault('hold-twice', { n, numOutput: output }) : null;
}
