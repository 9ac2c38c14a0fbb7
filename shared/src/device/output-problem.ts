import { PULSE_MIN_MS } from '../device-limits';
import { completeOutput } from './complete-output';
import type { OutputSettings } from './output-settings';

/**
 * A fault of an output's settings that no schema can find, as a phrase; null if there is none. A policy that has no effect in the
 * output's mode is refused, because somebody would rely on it; only `powerOn` is allowed, though impulse outputs start off.
 */
export function outputProblem(output: OutputSettings): string | null {
  const { mode, maxOnMs, onLinkLoss, onAgentLoss } = completeOutput(output);
  if (maxOnMs > 0 && maxOnMs < PULSE_MIN_MS) return `maxOnMs is 0 or at least ${PULSE_MIN_MS}`;
  if (mode === 'on-off') return null;
  const idle = [
    ...(maxOnMs > 0 ? ['maxOnMs'] : []),
    ...(onLinkLoss === 'off' ? ['onLinkLoss'] : []),
    ...(onAgentLoss === 'off' ? ['onAgentLoss'] : []),
  ];
  return idle.length === 0 ? null : `${idle.join(', ')} is for on-off outputs, and mode is impulse`;
}
