import { RelaygateError } from '@relaygate/shared';
import type { ServeLines } from '../../ipc/line-connection';
import { type Action, type Actions, actionOf, requestSession, UNEXPECTED } from '../../ipc/request-session';
import type { Log } from '../../runtime/log';
import { problemOf } from '../../runtime/problem';
import type { ActionDeps } from './actions/action-deps';
import { boardActions } from './actions/board-actions';
import { deviceActions } from './actions/device-actions';
import { doctorActions } from './actions/doctor-actions';
import { historyActions } from './actions/history-actions';
import { inputActions } from './actions/input-actions';
import { lockActions } from './actions/lock-actions';
import { logActions } from './actions/log-actions';
import { outputActions } from './actions/output-actions';
import { proofActions } from './actions/proof-actions';
import { resetActions } from './actions/reset-actions';
import { webActions } from './actions/web-actions';
import type { ActionName } from './local-messages/local-actions';

/**
 * All that a technician may ask of the agent: each action is one function with its schema, whoever asks.
 */
export class LocalApi {
  readonly #actions: Actions;
  readonly #log: Log;

  constructor(deps: ActionDeps) {
    this.#log = deps.log;
    const actions: Record<ActionName, Action> = {
      ...deviceActions(deps),
      ...outputActions(deps),
      ...inputActions(deps),
      ...boardActions(deps),
      ...lockActions(deps),
      ...logActions(deps),
      ...proofActions(deps),
      ...resetActions(deps),
      ...historyActions(deps),
      ...webActions(deps),
      ...doctorActions(deps),
    };
    this.#actions = new Map(Object.entries(actions));
  }

  /** Serves agent.sock. */
  serve(): ServeLines {
    const unexpected = (error: unknown): void => this.#unexpected(error);
    return (connection) => requestSession(connection, this.#actions, () => {}, unexpected);
  }

  /**
   * As `serve`, for callers in this process. `givenUp`: aborted once nobody waits for the answer. Rejects with
   * RelaygateError, in the same words.
   */
  async perform(type: string, request: object, givenUp: AbortSignal): Promise<unknown> {
    try {
      return await actionOf(this.#actions, type)(request, givenUp);
    } catch (error) {
      if (error instanceof RelaygateError) throw error;
      this.#unexpected(error);
      throw new RelaygateError('unknown', UNEXPECTED, { cause: error });
    }
  }

  #unexpected(error: unknown): void {
    this.#log.warn(`a local request failed: ${problemOf(error)}`);
  }
}
