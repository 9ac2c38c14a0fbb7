/** Of `settings.json` what the guard reads: its board and its outputs. */

import { type Static, Type } from '../json-schema';
import { MAX_OUTPUTS } from '../limits';
import { checkedParser, parserOf } from '../schema';
import { boardProblem, inputProblem } from './board-problem';
import { BoardSettings } from './board-settings';
import { outputProblem } from './output-problem';
import { OutputSettings } from './output-settings';

export const GuardSettings = Type.Object({
  board: BoardSettings,
  outputs: Type.Array(OutputSettings, {
    minItems: 1,
    maxItems: MAX_OUTPUTS,
    description: "the position is the output's number",
  }),
});
export type GuardSettings = Static<typeof GuardSettings>;

export const parseGuardSettings = checkedParser(parserOf(GuardSettings), settingsProblem);

/** A fault that no schema can find: a phrase that begins with the member. Null if there is none. */
export function settingsProblem({ board, outputs }: GuardSettings): string | null {
  return boardProblem(board, outputs) ?? outputsProblem(board, outputs);
}

function outputsProblem(board: BoardSettings, outputs: readonly OutputSettings[]): string | null {
  const inputs = outputs.map((output) => output.feedbackInput ?? null);
  for (const [numOutput, output] of outputs.entries()) {
    const member = `outputs.${numOutput}`;
    const problem = outputProblem(output);
    if (problem !== null) return `${member}: ${problem}`;
    const input = inputs[numOutput] ?? null;
    if (input === null) continue;
    const missing = inputProblem(board, input);
    if (missing !== null) return `${member}.feedbackInput ${missing}`;
    const first = inputs.indexOf(input);
    if (first < numOutput) return `${member}.feedbackInput: input ${input} shows output ${first} already`;
  }
  return null;
}
