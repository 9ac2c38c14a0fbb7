import type { CommandOutcome } from '@relaygate/shared';
import type { Log } from '../log';
import type { AskedCommand, OutcomeRecord } from './command-store';
import type { HeardConfirmation, Observed } from './heard';

/** A device's answer, in time or late, as far as it fits its command. A toggle always switches, so "already set" is no confirmation of one (I3). */
export function fitting({ action }: AskedCommand, confirmation: HeardConfirmation): HeardConfirmation {
  const { reason, ...answer } = confirmation;
  if (action === 'toggle' && answer.outcome === 'already-set')
    return { ...answer, outcome: 'refused', reason: 'toggle-already-set' };
  return hasReasons(answer.outcome) && reason !== undefined ? { ...answer, reason } : answer;
}

/** What a fitting answer says beside the outcome itself. A state is taken for the command's own output only. */
export function toldBy(
  { commandId, numOutput }: AskedCommand,
  { reason: why, state, numOutput: named = numOutput, heard }: HeardConfirmation,
  log: Pick<Log, 'warn'>,
): Pick<OutcomeRecord, 'reason' | 'observed'> {
  const reason = why ?? null;
  if (named !== numOutput) {
    log.warn({ commandId, numOutput, named }, 'a result names another output than its command');
    return { reason, observed: null };
  }
  const observed: Observed | null = state === undefined || heard === null ? null : { numOutput, state, heard };
  return { reason, observed };
}

function hasReasons(outcome: CommandOutcome): boolean {
  return outcome === 'refused' || outcome === 'unproven';
}
