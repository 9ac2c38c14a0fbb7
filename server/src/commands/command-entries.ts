import type { CommandOutcome, OutputState } from '@relaygate/shared';
import type { AuditEntry } from '../audit/audit-record';
import type { AskedCommand, CommandRecord, CommandView, OutcomeRecord } from './command-store';

/** How a command and its outcomes stand in the audit, written and read back. */

interface CommandBody {
  commandId: string;
  productLogin: string;
  clientId: string;
  atMs: number;
  details: {
    numOutput: number;
    action: 'set' | 'toggle';
    state: OutputState | null;
    bootId: string | null;
    outcome: CommandOutcome;
    reason: string | null;
  };
}

interface OutcomeBody {
  atMs: number;
  details: { outcome: CommandOutcome; reason: string | null };
}

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

/** For the start of the server: the outcome of a command that the last run had sent is unknown. */
export function interruptedEntry(command: Pick<OutcomeRecord, 'commandId' | 'productLogin'>, atMs: number): AuditEntry {
  const { commandId, productLogin } = command;
  const outcome = { outcome: 'unknown', reason: 'server-restarted', observed: null } as const;
  return outcomeEntry({ commandId, productLogin, resolvedAtMs: atMs, ...outcome });
}

/** From the body of a command's record. */
export function askedIn(commandText: string): AskedCommand {
  const { commandId, details }: CommandBody = JSON.parse(commandText);
  return { commandId, numOutput: details.numOutput, action: details.action };
}

/** From the bodies of a command's record and of its latest outcome, if it has one. */
export function commandView(commandText: string, outcomeText: string | undefined): CommandView {
  const command: CommandBody = JSON.parse(commandText);
  const { bootId: _, outcome, reason, ...asked } = command.details;
  const view = {
    commandId: command.commandId,
    productLogin: command.productLogin,
    clientId: command.clientId,
    acceptedAtMs: command.atMs,
    ...asked,
  };
  if (outcomeText === undefined) {
    return { ...view, outcome, reason, resolvedAtMs: outcome === 'pending' ? null : command.atMs };
  }
  const latest: OutcomeBody = JSON.parse(outcomeText);
  return { ...view, outcome: latest.details.outcome, reason: latest.details.reason, resolvedAtMs: latest.atMs };
}
