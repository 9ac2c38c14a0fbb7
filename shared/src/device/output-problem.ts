import { PULSE_MIN_MS } from '../limits';
import { type OutputSettings, wholeOutput } from './output-settings';

/**
 * What no schema can say of an output's settings, in a phrase; null: all is well. A policy that does nothing for an output
 * of its mode would be a promise that nobody keeps; `powerOn` promises less than it says there: impulse outputs start off.
 */
export function outputProblem(output: OutputSettings): string | null {
  const { mode, maxOnMs, onLinkLoss, onAgentLoss } = wholeOutput(output);
  if (maxOnMs > 0 && maxOnMs < PULSE_MIN_MS) return `maxOnMs is 0 or at least ${PULSE_MIN_MS}`;
  if (mode === 'on-off') return null;
  const idle = [
    ...(maxOnMs > 0 ? ['maxOnMs'] : []),
    ...(onLinkLoss === 'off' ? ['onLinkLoss'] : []),
    ...(onAgentLoss === 'off' ? ['onAgentLoss'] : []),
  ];
  return idle.length === 0 ? null : `${idle.join(', ')} is for on-off outputs, and mode is impulse`;
}
