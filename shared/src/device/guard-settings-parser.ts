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

/** A fault that no schema can find; null if there is none. Most settings name no input, and then its checks are not loaded. */
export function settingsProblem(settings: GuardSettings): Fault | null {
  const { board, outputs, inputs = [] } = settings;
  const ofOutputs = boardProblem(board, outputs) ?? outputsProblem(board, outputs);
  if (ofOutputs !== null || inputs.length === 0) return ofOutputs;
  // biome-ignore lint/style/noRestrictedGlobals: loaded where it is needed only.
  const { inputsProblem }: typeof import('./inputs-problem') = require('./inputs-problem');
  return inputsProblem(settings);
}

function outputsProblem(board: BoardSettings, outputs: readonly OutputSettings[]): Fault | null {
  for (const [numOutput, output] of outputs.entries()) {
    const problem = outputProblem(output, numOutput);
    if (problem !== null) return problem;
    const input = output.feedbackInput ?? null;
    if (input === null) continue;
    const member = `outputs.${numOutput}.feedbackInput`;
    // biome-ignore lint/style/noRestrictedGlobals: loaded where it is needed only.
    const { inputProblem, useOfInput }: typeof import('./inputs-problem') = require('./inputs-problem');
    const unfit = inputProblem(board, member, input) ?? useOfInput(member, input, outputs.slice(0, numOutput));
    if (unfit !== null) return unfit;
  }
  return null;
}
