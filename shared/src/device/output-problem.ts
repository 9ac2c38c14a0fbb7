import { PULSE_MIN_MS } from '../device-limits';
import { completeOutput } from './complete-output';
import type { OutputSettings } from './output-settings';
import { type Fault, settingsFault } from './settings-fault';

/**
 * A fault of an output's settings that no schema can find, null if there is none. A policy that has no effect in the
 * output's mode is refused, because somebody would rely on it; only `powerOn` is allowed, though impulse outputs start off.
 */
export function outputProblem(output: OutputSettings, numOutput: number): Fault | null {
  const { mode, maxOnMs, onLinkLoss, onAgentLoss } = completeOutput(output);
  if (maxOnMs > 0 && maxOnMs < PULSE_MIN_MS) return settingsFault('limit-short', { numOutput, leastMs: PULSE_MIN_MS });
  if (mode === 'on-off') return null;
  const members = [
    ...(maxOnMs > 0 ? ['maxOnMs'] : []),
    ...(onLinkLoss === 'off' ? ['onLinkLoss'] : []),
    ...(onAgentLoss === 'off' ? ['onAgentLoss'] : []),
  ];
  return members.length === 0 ? null : settingsFault('only-on-off', { numOutput, members });
}
