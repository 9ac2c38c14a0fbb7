import type { CommandOutcome } from '@relaygate/shared';
import type { AuditEntry } from '../audit/audit-record';
import type { CommandRecord, OutcomeRecord } from './command-store';

/** How a command and its outcomes stand in the audit. */

export function commandEntry(command: CommandRecord): AuditEntry {
  const { commandId, productLogin, clientId, acceptedAtMs, ...rest } = command;
  const { numOutput, action, state, bootId, outcome, reason } = rest;
  const details = { numOutput, action, state, bootId, outcome, reason };
  return { kind: 'command', atMs: acceptedAtMs, productLogin, clientId, commandId, details };
}

export function outcomeEntry(record: OutcomeRecord): AuditEntry {
  const { commandId, productLogin, outcome, reason, resolvedAtMs, observed } = record;
  const seen = observed && { numOutput: observed.numOutput, state: observed.state };
  const details = { outcome, reason, ...seen };
  return { kind: 'outcome', atMs: resolvedAtMs, productLogin, commandId, details };
}

/** True if the device may still report the outcome. */
export function staysOpen(outcome: CommandOutcome): boolean {
  return outcome === 'pending' || outcome === 'unknown';
}

/** Of a command that the last run of the server had in flight: its outcome is unknown. */
export const INTERRUPTED_BY_RESTART = 'server-restarted';

export function interruptedEntry(command: Pick<OutcomeRecord, 'commandId' | 'productLogin'>, atMs: number): AuditEntry {
  const { commandId, productLogin } = command;
  const outcome = { outcome: 'unknown', reason: INTERRUPTED_BY_RESTART, observed: null } as const;
  return outcomeEntry({ commandId, productLogin, resolvedAtMs: atMs, ...outcome });
}
