import { parserNamed } from '../named-parser';
import { checkedParser } from '../parser';
import { boardProblem, inputProblem } from './board-problem';
import type { BoardSettings } from './board-settings';
import type { GuardSettings } from './guard-settings';
import { inputsProblem, useOfInput } from './inputs-problem';
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

/** A fault that no schema can find: a phrase that begins with the member. Null if there is none. */
export function settingsProblem(settings: GuardSettings): string | null {
  const { board, outputs } = settings;
  return boardProblem(board, outputs) ?? outputsProblem(board, outputs) ?? inputsProblem(settings);
}

function outputsProblem(board: BoardSettings, outputs: readonly OutputSettings[]): string | null {
  for (const [numOutput, output] of outputs.entries()) {
    const member = `outputs.${numOutput}`;
    const problem = outputProblem(output);
    if (problem !== null) return `${member}: ${problem}`;
    const input = output.feedbackInput ?? null;
    if (input === null) continue;
    const missing = inputProblem(board, input);
    if (missing !== null) return `${member}.feedbackInput ${missing}`;
    const use = useOfInput(input, outputs.slice(0, numOutput));
    if (use !== null) return `${member}.feedbackInput: ${use}`;
  }
  return null;
}
