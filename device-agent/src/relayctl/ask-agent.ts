import type { Cancel, Clock } from '@relaygate/shared';
import { EXECUTION_DEADLINE_MS, MAX_SOCKET_PATH_BYTES } from '@relaygate/shared/limits';
import { RelaygateError } from '@relaygate/shared/relaygate-error';
import type { ConnectionProblem, DialLines } from '../ipc/line-connection';
import { AnswerLostError, RequestClient } from '../ipc/request-client';
import type { RelayctlTranslations } from '../locales/relayctl';

/**
 * Longer than the deadline of each change and all that the guard may need for it, so that the agent's answer is not missed.
 */
const ANSWER_MS = 15_000;

/** The way to the agent. */
export interface AskAgentDeps {
  dial(socketPath: string): DialLines;
  clock: Clock;
  t: RelayctlTranslations;
}

export interface ChangeDeps extends AskAgentDeps {
  /** Calls `run` instead of ending the program when somebody interrupts it (Ctrl-C), until that is cancelled. */
  onInterrupt(run: () => void): Cancel;
}

interface Exchange {
  type: string;
  body: object;
  /** What to say if the request was sent and no answer came. */
  unanswered(why: string): RelaygateError;
  /** What to say if the agent has failed at it. */
  failed(error: unknown): unknown;
  onInterrupt(run: () => void): Cancel;
}

/** Asks the agent one thing that changes nothing. Rejects with RelaygateError: the agent's own, or `agent-unreachable`. */
export function askAgent(deps: AskAgentDeps, socketPath: string, type: string, body: object): Promise<unknown> {
  const unanswered = (why: string): RelaygateError =>
    new RelaygateError('agent-unreachable', deps.t.unreachable(socketPath, why));
  return exchange(deps, socketPath, { type, body, unanswered, failed: (error) => error, onInterrupt: () => () => {} });
}

/**
 * Has the agent change something soon after `askedMs`, or never (I2). Rejects with RelaygateError: the agent's own,
 * `agent-unreachable` if the request was certainly not sent, `outcome-unknown` if it was and the outcome is not known.
 */
export function requestChange(
  deps: ChangeDeps,
  socketPath: string,
  type: string,
  body: object,
  askedMs = deps.clock.nowMs(),
): Promise<unknown> {
  const { t } = deps;
  const notAfterMs = askedMs + EXECUTION_DEADLINE_MS;
  return exchange(deps, socketPath, {
    type,
    body: { ...body, notAfterMs },
    unanswered: (why) => outcomeUnknown(t, t.noAnswer(why)),
    failed: (error) => (isUnexpected(error) ? outcomeUnknown(t, error.message, error) : error),
    onInterrupt: deps.onInterrupt,
  });
}

function exchange(
  { dial, clock, t }: AskAgentDeps,
  socketPath: string,
  { type, body, unanswered, failed, onInterrupt }: Exchange,
): Promise<unknown> {
  if (Buffer.byteLength(socketPath) > MAX_SOCKET_PATH_BYTES) {
    return Promise.reject(new RelaygateError('socket-unusable', t.longSocket(MAX_SOCKET_PATH_BYTES, socketPath)));
  }
  return new Promise((resolve, reject) => {
    let isSent = false;
    let cancelInterrupt: Cancel = () => {};
    const connection = dial(socketPath)({
      opened() {
        isSent = true;
        cancelInterrupt = onInterrupt(() => {
          reject(unanswered(t.interrupted));
          // The agent drops what it has not begun.
          connection.close();
        });
        requests
          .request(type, body, ANSWER_MS)
          .then(resolve, (error: unknown) =>
            reject(error instanceof AnswerLostError ? unanswered(error.message) : failed(error)),
          )
          .finally(() => connection.close());
      },
      line: (text) => void requests.takeLine(text),
      closed(problem) {
        cancelInterrupt();
        // Too late to matter once there is an answer.
        reject(isSent ? unanswered(problem?.message ?? t.hungUp) : unreachable(t, socketPath, problem));
        requests.end('the agent has closed the connection');
      },
    });
    const requests = new RequestClient(connection, clock);
  });
}

function isUnexpected(error: unknown): error is RelaygateError {
  return error instanceof RelaygateError && error.code === 'unknown';
}

function outcomeUnknown(t: RelayctlTranslations, why: string, cause?: Error): RelaygateError {
  return new RelaygateError('outcome-unknown', t.mayHaveHappened(why), { cause });
}

function unreachable(t: RelayctlTranslations, path: string, problem: ConnectionProblem | null): RelaygateError {
  switch (problem?.code) {
    case 'ENOENT':
    case 'ECONNREFUSED':
      return new RelaygateError('agent-unreachable', t.notRunning(path));
    case 'EACCES':
      return new RelaygateError('agent-unreachable', t.notForUser(path));
    default:
      return new RelaygateError('agent-unreachable', t.unreachable(path, problem?.message ?? t.hungUp));
  }
}
