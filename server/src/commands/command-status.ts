import { COMMAND_ID_PATTERN, type CommandStatus, isoTime, RelaygateError } from '@relaygate/shared';
import { staysOpen } from './command-entries';
import type { CommandStore, CommandView, OutcomeRecord } from './command-store';
import type { OutcomeRecorder } from './outcome-recorder';

/** PostgreSQL answers other texts, with NUL in them, with an error. */
const COMMAND_ID = new RegExp(COMMAND_ID_PATTERN);

export interface Associations {
  isAssociated(clientId: string, productLogin: string): Promise<boolean>;
}

/**
 * The outcome of a command, for the client that gave it, if it is still associated with the product. For everybody else
 * there is no such command (`not-found`, I7).
 */
export async function commandStatus(
  store: Pick<CommandStore, 'findCommand'> & Associations,
  outcomes: Pick<OutcomeRecorder, 'latest'>,
  clientId: string,
  commandId: string,
): Promise<CommandStatus> {
  if (!COMMAND_ID.test(commandId)) throw new RelaygateError('not-found');
  // Before the reading: an outcome that is written meanwhile may be missing in the row that is read.
  const unsaved = outcomes.latest(commandId);
  const command = await store.findCommand(commandId);
  if (command?.clientId !== clientId || !(await store.isAssociated(clientId, command.productLogin))) {
    throw new RelaygateError('not-found');
  }
  return shownStatus(command, outcomes.latest(commandId), unsaved);
}

/**
 * A command as its client sees it. `unsavedNow`: its newest outcome, if that is not in the database; `unsavedBefore`: the same, from
 * before the row was read.
 */
export function shownStatus(
  command: CommandView,
  unsavedNow: OutcomeRecord | undefined,
  unsavedBefore: OutcomeRecord | undefined,
): CommandStatus {
  const known = unsavedNow ?? (staysOpen(command.outcome) ? unsavedBefore : undefined);
  const { outcome, reason, resolvedAtMs } = known ?? command;
  const { commandId, productLogin, numOutput, action, state, acceptedAtMs } = command;
  return {
    commandId,
    productLogin,
    numOutput,
    action,
    state,
    outcome,
    reason,
    acceptedAt: isoTime(acceptedAtMs),
    resolvedAt: isoTime(resolvedAtMs),
  };
}
