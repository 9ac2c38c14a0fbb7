import type { RunningOutput } from './running-output';

/** What is wrong with the outputs, for people. */
export function outputFaults(outputs: readonly RunningOutput[]): string[] {
  return outputs.flatMap((output) => {
    const { numOutput, settings, isStuck, isUnproven, problem, readProblem, rules } = output;
    const isAlone = outputs.every((other) => other === output || other.rules.interlock !== rules.interlock);
    const words = `Output ${numOutput} (${settings.name})`;
    return [
      ...(isStuck ? [`${words} cannot be switched off (${problem}); it is tried again.`] : []),
      ...(readProblem !== null ? [`${words} could not be asked how it is (${readProblem}).`] : []),
      ...(isUnproven ? [`${words} was switched, and its feedback input does not show it.`] : []),
      ...(isAlone && rules.interlock !== null ? [`${words} is alone in its interlock "${rules.interlock}".`] : []),
    ];
  });
}
