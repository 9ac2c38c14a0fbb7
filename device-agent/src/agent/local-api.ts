import { RelaygateError } from '@relaygate/shared';
import type { ServeLines } from '../local/line-connection';
import { type Actions, actionOf, requestSession, UNEXPECTED } from '../local/request-session';
import type { Log } from '../program/log';
import { problemOf } from '../program/problem';
import { type BoardActionParts, boardActions } from './actions/board-actions';
import { type DeviceActionParts, deviceActions } from './actions/device-actions';
import { type DoctorActionParts, doctorActions } from './actions/doctor-actions';
import { type HistoryActionParts, historyActions } from './actions/history-actions';
import { type LockActionParts, lockActions } from './actions/lock-actions';
import { type LogActionParts, logActions } from './actions/log-actions';
import { type OutputActionParts, outputActions } from './actions/output-actions';
import { type ProofActionParts, proofActions } from './actions/proof-actions';
import { type ResetActionParts, resetActions } from './actions/reset-actions';
import { type WebActionParts, webActions } from './actions/web-actions';

export interface LocalApiParts
  extends DeviceActionParts,
    OutputActionParts,
    BoardActionParts,
    LockActionParts,
    LogActionParts,
    ProofActionParts,
    ResetActionParts,
    HistoryActionParts,
    WebActionParts,
    DoctorActionParts {
  log: Log;
}

/**
 * All that a technician may ask of the agent: each action is one function with its schema, whoever asks.
 */
export class LocalApi {
  readonly #actions: Actions;
  readonly #log: Log;

  constructor(parts: LocalApiParts) {
    this.#log = parts.log;
    this.#actions = new Map([
      ...deviceActions(parts),
      ...outputActions(parts),
      ...boardActions(parts),
      ...lockActions(parts),
      ...logActions(parts),
      ...proofActions(parts),
      ...resetActions(parts),
      ...historyActions(parts),
      ...webActions(parts),
      ...doctorActions(parts),
    ]);
  }

  /** Serves agent.sock. */
  serve(): ServeLines {
    return (connection) =>
      requestSession(
        connection,
        this.#actions,
        () => {},
        (error) => this.#unexpected(error),
      );
  }

  /**
   * The same for those in this process, without a socket. `givenUp`: once nobody waits for the answer any more. Rejects with
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
