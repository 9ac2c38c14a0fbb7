import { type GuardFault, guardFault } from '../runtime/guard-fault';
import type { RunningOutput } from './running-output';

/** What is wrong with the outputs. */
export function outputFaults(outputs: readonly RunningOutput[]): GuardFault[] {
  return outputs.flatMap((output) => {
    const { numOutput, settings, isStuck, isUnproven, problem, readProblem, rules } = output;
    const { interlock } = rules;
    const isAlone = outputs.every((other) => other === output || other.rules.interlock !== interlock);
    // A pulse may be too short to be read; its end is.
    const isUnread = !output.isReadBack && output.pulseEndsMs === null;
    const own = { numOutput, name: settings.name };
    return [
      ...(isStuck ? [guardFault('output-stuck', { ...own, problem: problem ?? '' })] : []),
      ...(readProblem !== null ? [guardFault('output-not-asked', { ...own, problem: readProblem })] : []),
      ...(isUnproven ? [guardFault('output-unproven', own)] : []),
      ...(isUnread && interlock !== null ? [guardFault('interlock-unread', { ...own, interlock })] : []),
      ...(isAlone && interlock !== null ? [guardFault('interlock-alone', { ...own, interlock })] : []),
    ];
  });
}
