/** What no schema can say of a device's settings. Each is a phrase that begins with the member; null: all is well. */
import type { BoardSettings } from './device-settings';
import { PULSE_MIN_MS } from './limits';
import { type OutputSettings, wholeOutput } from './output-settings';

/** Whether the driver of that kind of board reads inputs (`readInput`): without, no output can be shown by one. */
export const HAS_INPUTS: Readonly<Record<BoardSettings['kind'], boolean>> = {
  simulated: true,
  gpio: false,
  'gpio-sysfs': false,
};

/** A policy that does nothing for an output of its mode would be a promise that nobody keeps. */
export function outputProblem(output: OutputSettings): string | null {
  const { mode, powerOn, maxOnMs, onLinkLoss, onAgentLoss } = wholeOutput(output);
  if (maxOnMs > 0 && maxOnMs < PULSE_MIN_MS) return `maxOnMs is 0 or at least ${PULSE_MIN_MS}`;
  if (mode === 'on-off') return null;
  const idle = [
    ...(maxOnMs > 0 ? ['maxOnMs'] : []),
    ...(onLinkLoss === 'off' ? ['onLinkLoss'] : []),
    ...(onAgentLoss === 'off' ? ['onAgentLoss'] : []),
    ...(powerOn === 'restore' ? ['powerOn restore'] : []),
  ];
  return idle.length === 0 ? null : `${idle.join(', ')} is for on-off outputs, and mode is impulse`;
}

export function settingsProblem({ board, outputs }: GuardMembers): string | null {
  return boardProblem(board, outputs.length) ?? outputsProblem(board, outputs);
}

interface GuardMembers {
  board: BoardSettings;
  outputs: readonly OutputSettings[];
}

function boardProblem(board: BoardSettings, outputs: number): string | null {
  if (board.kind === 'simulated') return null;
  const { lines } = board;
  const twice = lines.find((line, n) => lines.indexOf(line) !== n);
  if (twice !== undefined) return `board.lines names line ${twice} twice`;
  if (lines.length === outputs) return null;
  return `board.lines has ${lines.length} lines for ${outputs} outputs`;
}

function outputsProblem(board: BoardSettings, outputs: readonly OutputSettings[]): string | null {
  const inputs = outputs.map((output) => output.feedbackInput ?? null);
  for (const [numOutput, output] of outputs.entries()) {
    const member = `outputs.${numOutput}`;
    const problem = outputProblem(output);
    if (problem !== null) return `${member}: ${problem}`;
    const input = inputs[numOutput] ?? null;
    if (input === null) continue;
    if (!HAS_INPUTS[board.kind]) return `${member}.feedbackInput: a board of kind ${board.kind} has no inputs`;
    const first = inputs.indexOf(input);
    if (first < numOutput) return `${member}.feedbackInput: input ${input} shows output ${first} already`;
  }
  return null;
}
