import { HAS_INPUTS, inputCountOf } from './board-problem';
import type { BoardSettings } from './board-settings';
import type { GuardSettings } from './guard-settings';
import type { ButtonSettings, InputSettings } from './input-settings';
import type { OutputSettings } from './output-settings';
import { type Fault, settingsFault } from './settings-fault';

type Outputs = readonly OutputSettings[];
type Inputs = readonly InputSettings[];

/** A fault of the inputs' settings that no schema can find, which names an input by its number; null if there is none. */
export function inputsProblem({ board, outputs, inputs = [] }: GuardSettings): Fault | null {
  for (const [n, input] of inputs.entries()) {
    const { numInput } = input;
    const member = `inputs.${numInput}.numInput`;
    const unfit = inputProblem(board, member, numInput) ?? useOfInput(member, numInput, outputs, inputs.slice(0, n));
    if (unfit !== null) return unfit;
    const wrong = input.kind === 'button' ? (buttonProblem(input, outputs) ?? holdProblem(input, inputs)) : null;
    if (wrong !== null) return wrong;
  }
  return null;
}

/** null if the board has this input, which `member` names. */
export function inputProblem(board: BoardSettings, member: string, input: number): Fault | null {
  const inputs = inputCountOf(board);
  if (input < inputs) return null;
  if (!HAS_INPUTS[board.kind]) return settingsFault('board-without-inputs', { member, input, kind: board.kind });
  const from = board.kind === 'modbus' ? 'board.units' : 'board.inputs';
  return inputs === 0
    ? settingsFault('no-inputs-set', { member, input, from })
    : settingsFault('no-such-input', { member, input, last: inputs - 1, from });
}

/** What the input, which `member` names, is for already; null: nothing. An input has one meaning. */
export function useOfInput(member: string, input: number, outputs: Outputs, inputs: Inputs = []): Fault | null {
  const shown = outputs.findIndex(({ feedbackInput }) => feedbackInput === input);
  if (shown >= 0) return settingsFault('input-is-feedback', { member, input, numOutput: shown });
  const isMeant = inputs.some(({ numInput }) => numInput === input);
  return isMeant ? settingsFault('input-has-meaning', { member, input }) : null;
}

/** A button that could never move anything, or would without a limit. */
function buttonProblem({ numInput, output: numOutput, action }: ButtonSettings, outputs: Outputs): Fault | null {
  const output = outputs[numOutput];
  if (output === undefined) return settingsFault('button-no-output', { numInput, numOutput, count: outputs.length });
  const mode = action === 'pulse' ? 'impulse' : 'on-off';
  if (output.mode !== mode) return settingsFault('button-of-mode', { numInput, action, mode, numOutput });
  if (action !== 'hold') return null;
  if (!output.maxOnMs) return settingsFault('hold-without-limit', { numInput, numOutput });
  // It would come on again with nobody at the button.
  return output.powerOn === 'off' ? null : settingsFault('hold-power-on', { numInput, numOutput });
}

/** What one of two holds on, the other would switch off. */
function holdProblem({ numInput, output, action }: ButtonSettings, inputs: Inputs): Fault | null {
  const isOther = (one: InputSettings) =>
    one.kind === 'button' && one.numInput !== numInput && one.output === output && one.action === 'hold';
  return action === 'hold' && inputs.some(isOther)
    ? settingsFault('hold-twice', { numInput, numOutput: output })
    : null;
}
