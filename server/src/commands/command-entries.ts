import type { CommandOutcome } from '@relaygate/shared';
import type { AuditEntry } from '../audit/audit-record';
import type { CommandRecord, OutcomeRecord } from './command-store';

/** How a command and its outcomes stand in the audit. */

export function commandEntry(command: CommandRecord): AuditEntry {
  const { commandId, productLogin, clientId, acceptedAtMs: atMs } = command;
  const { numOutput, action, state, bootId, outcome, reason } = command;
  const details = { numOutput, action, state, bootId, outcome, reason };
  return { kind: 'command', atMs, productLogin, clientId, commandId, details };
}

export function outcomeEntry(record: OutcomeRecord): AuditEntry {
  const { commandId, productLogin, outcome, reason, resolvedAtMs: atMs, observed } = record;
  const details = observed
    ? { outcome, reason, numOutput: observed.numOutput, state: observed.state }
    : { outcome, reason };
  return { kind: 'outcome', atMs, productLogin, commandId, details };
}

/** True if the device may still report the outcome. */
export function staysOpen(outcome: CommandOutcome): boolean {
  return outcome === 'pending' || outcome === 'unknown';
}

/** Why the outcome of a command is unknown: the server ended meanwhile, or nobody waits for it any more. */
export type Interruption = 'server-restarted' | 'outcome-lost';
/** Its device may execute it yet, until its time is over. */
export const INTERRUPTED_BY_END: Interruption = 'server-restarted';

export function interruptedEntry(
  { commandId, productLogin }: Pick<OutcomeRecord, 'commandId' | 'productLogin'>,
  reason: Interruption,
  resolvedAtMs: number,
): AuditEntry {
  return outcomeEntry({ commandId, productLogin, outcome: 'unknown', reason, resolvedAtMs, observed: null });
}
