import type { DeviceOutcome, RelaygateError } from '@relaygate/shared';
import type { OutputSettings } from '@relaygate/shared/device';
import { noSuchOutput, refused } from '../../runtime/refused';

/**
 * The error that a technician sees whose command did not simply work. `unproven` is not `refused`: the output has moved.
 */
export function commandProblem(
  numOutput: number,
  outcome: Exclude<DeviceOutcome, 'executed' | 'already-set'>,
  given: string | undefined,
  outputs: readonly OutputSettings[],
): RelaygateError {
  const code = outcome === 'unproven' ? 'unproven' : 'refused';
  const { feedbackInput, interlock: group, minSwitchIntervalMs: intervalMs = 0 } = outputs[numOutput] ?? {};
  // Settings may have changed meanwhile.
  const [input, interlock] = [feedbackInput ?? '?', group ?? '?'];
  const reason = given ?? outcome;
  switch (reason) {
    case 'no-such-output':
      return noSuchOutput(numOutput, outputs.length);
    case 'not-an-impulse-output':
    case 'state-not-saved':
    case 'policy-off':
    case 'overtaken':
    case 'stopped':
    case 'other-pulse':
    case 'expired':
      return refused(code, reason, { numOutput });
    case 'feedback-missing':
    case 'feedback-stuck':
    case 'ended-by-policy':
    case 'ended-by-stop':
      return refused(code, reason, { numOutput, input });
    case 'switched-too-soon':
      return refused(code, reason, { numOutput, intervalMs });
    case 'interlocked':
    case 'interlock-unread':
      return refused(code, reason, { interlock });
    case 'interlock-broken':
      return refused(code, reason, { numOutput, interlock });
    case 'interlock-delay':
    case 'board-away':
    case 'board-failed':
      return refused(code, reason, {});
    default:
      return code === 'unproven'
        ? refused(code, 'unproven-by-guard', { numOutput, reason: given ?? null })
        : refused(code, 'refused-by-guard', { reason: given ?? null });
  }
}
