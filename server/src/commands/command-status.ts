import { type CommandStatus, isoTime, RelaygateError } from '@relaygate/shared';
import type { CommandStore } from './command-store';
import type { OutcomeRecorder } from './outcome-recorder';

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
  const command = await store.findCommand(commandId);
  if (command?.clientId !== clientId || !(await store.isAssociated(clientId, command.productLogin))) {
    throw new RelaygateError('not-found');
  }
  const { outcome, reason, resolvedAtMs } = outcomes.latest(commandId) ?? command;
  const { productLogin, numOutput, action, state, acceptedAtMs } = command;
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
