import { type Fault, fault } from '../runtime/fault';
import type { RunningOutput } from './running-output';

export function outputFaults(outputs: readonly RunningOutput[]): Fault[] {
  return outputs.flatMap((output) => {
    const { numOutput, settings, rules, isStuck, line, feedback } = output;
    const { problem, readProblem } = line;
    const { interlock } = rules;
    const isAlone = outputs.every((other) => other === output || other.rules.interlock !== interlock);
    // A pulse may be too short to be read; its end is not.
    const isUnread = !line.isReadBack && output.pulseEndsMs === null;
    const own = { numOutput, name: settings.name };
    const faults: Fault[] = [];
    if (isStuck) faults.push(fault('output-stuck', { ...own, problem: problem ?? '' }));
    if (readProblem !== null) faults.push(fault('output-not-asked', { ...own, problem: readProblem }));
    if (feedback.isMissing) faults.push(fault('output-unproven', own));
    if (interlock === null) return faults;
    if (isUnread) faults.push(fault('interlock-unread', { ...own, interlock }));
    if (isAlone) faults.push(fault('interlock-alone', { ...own, interlock }));
    return faults;
  });
}
