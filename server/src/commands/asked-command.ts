import type { CommandOutcome } from '@relaygate/shared';
import type { DeviceConfirmation, ObservedState } from '../devices/frame-version';
import type { Log } from '../log/log';
import type { AskedCommand, OutcomeRecord } from './command-store';

/**
 * The device's answer, in time or late, as its command can take it. A toggle always switches, so "already set" does not
 * confirm one (I3).
 */
export function answerTo({ action }: AskedCommand, confirmation: DeviceConfirmation): DeviceConfirmation {
  const { reason, ...answer } = confirmation;
  if (action === 'toggle' && answer.outcome === 'already-set')
    return { ...answer, outcome: 'refused', reason: 'toggle-already-set' };
  return hasReasons(answer.outcome) && reason !== undefined ? { ...answer, reason } : answer;
}

/** What the answer reports besides its outcome. A reported state counts for the command's own output only. */
export function reportOf(
  { commandId, numOutput }: AskedCommand,
  { reason: why, state, numOutput: named = numOutput, version }: DeviceConfirmation,
  log: Pick<Log, 'warn'>,
): Pick<OutcomeRecord, 'reason' | 'observed'> {
  const reason = why ?? null;
  if (named !== numOutput) {
    log.warn({ commandId, numOutput, named }, 'a result names another output than its command');
    return { reason, observed: null };
  }
  const observed: ObservedState | null = state === undefined || version === null ? null : { numOutput, state, version };
  return { reason, observed };
}

function hasReasons(outcome: CommandOutcome): boolean {
  return outcome === 'refused' || outcome === 'unproven';
}
