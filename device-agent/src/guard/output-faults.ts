import type { GuardFault } from '../runtime/guard-fault';
import type { RunningOutput } from './running-output';

/** What is wrong with the outputs. */
export function outputFaults(outputs: readonly RunningOutput[]): GuardFault[] {
  return outputs.flatMap((output) => {
    const { numOutput, settings, rules, isStuck, line, feedback } = output;
    const { problem, readProblem } = line;
    const { interlock } = rules;
    const isAlone = outputs.every((other) => other === output || other.rules.interlock !== interlock);
    // A pulse may be too short to be read; its end is.
    const isUnread = !line.isReadBack && output.pulseEndsMs === null;
    const own = { numOutput, name: settings.name };
    const faults: GuardFault[] = [];
    if (isStuck) faults.push({ code: 'output-stuck', values: { ...own, problem: problem ?? '' } });
    if (readProblem !== null) faults.push({ code: 'output-not-asked', values: { ...own, problem: readProblem } });
    if (feedback.isMissing) faults.push({ code: 'output-unproven', values: own });
    if (interlock === null) return faults;
    if (isUnread) faults.push({ code: 'interlock-unread', values: { ...own, interlock } });
    if (isAlone) faults.push({ code: 'interlock-alone', values: { ...own, interlock } });
    return faults;
  });
}
