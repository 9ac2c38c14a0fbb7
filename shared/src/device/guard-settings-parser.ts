import { parserNamed } from '../named-parser';
import { checkedParser, type Fault } from '../parser';
import { boardProblem } from './board-problem';
import type { BoardSettings } from './board-settings';
import type { GuardSettings } from './guard-settings';
import { outputProblem } from './output-problem';
import type { OutputSettings } from './output-settings';

export const parseGuardSettings = checkedParser(
  parserNamed('guard-settings', () => {
    // biome-ignore lint/style/noRestrictedGlobals: loaded where it is needed only.
    const { GuardSettings }: typeof import('./guard-settings') = require('./guard-settings');
    return GuardSettings;
  }),
  settingsProblem,
);

/** A fault that no schema can find; null if there is none. */
export function settingsProblem(settings: GuardSettings): Fault | null {
  const { board, outputs, inputs = [] } = settings;
  const ofOutputs = boardProblem(board, outputs) ?? outputsProblem(board, outputs);
  return ofOutputs ?? (inputs.length > 0 ? checksOfInputs().inputsProblem(settings) : null);
}

function outputsProblem(board: BoardSettings, outputs: readonly OutputSettings[]): Fault | null {
  for (const [numOutput, output] of outputs.entries()) {
    const problem = outputProblem(output, numOutput);
    if (problem !== null) return problem;
    const input = output.feedbackInput ?? null;
    if (input === null) continue;
    const member = `outputs.${numOutput}.feedbackInput`;
    const { inputProblem, useOfInput } = checksOfInputs();
    const unfit = inputProblem(board, member, input) ?? useOfInput(member, input, outputs.slice(0, numOutput));
    if (unfit !== null) return unfit;
  }
  return null;
}

/** Loaded here, because most settings name no input. */
function checksOfInputs(): typeof import('./inputs-problem') {
  // biome-ignore lint/style/noRestrictedGlobals: loaded where it is needed only.
  return require('./inputs-problem');
}
