import type { Clock } from '@relaygate/shared';
import { RelaygateError } from '@relaygate/shared/errors';
import { MAX_SOCKET_PATH_BYTES } from '@relaygate/shared/limits';
import type { ConnectionProblem, DialLines } from '../local/line-connection';
import { AnswerLostError, RequestClient } from '../local/request-client';

/** Longer than the agent waits for the guard. */
const ANSWER_MS = 15_000;

/** The way to the agent. */
export interface AgentPorts {
  dial(socketPath: string): DialLines;
  clock: Clock;
}

/** Asks the agent one thing. Rejects with RelaygateError: the agent's own, or `agent-unreachable`. */
export function askAgent(
  { dial, clock }: AgentPorts,
  socketPath: string,
  type: string,
  body: object,
): Promise<unknown> {
  if (Buffer.byteLength(socketPath) > MAX_SOCKET_PATH_BYTES) {
    return Promise.reject(
      new RelaygateError('socket-unusable', `The socket path is over ${MAX_SOCKET_PATH_BYTES} bytes: ${socketPath}.`),
    );
  }
  return new Promise((resolve, reject) => {
    const connection = dial(socketPath)({
      opened() {
        requests
          .request(type, body, ANSWER_MS)
          .then(resolve, (error: unknown) => reject(error instanceof AnswerLostError ? unanswered(error) : error))
          .finally(() => connection.close());
      },
      line: (text) => void requests.takeLine(text),
      closed(problem) {
        requests.end('the agent has closed the connection');
        // Too late to matter once there is an answer.
        reject(unreachable(socketPath, problem));
      },
    });
    const requests = new RequestClient(connection, clock);
  });
}

function unanswered(cause: AnswerLostError): RelaygateError {
  return new RelaygateError('agent-unreachable', `The agent gave ${cause.message}; look at "relayctl status".`, {
    cause,
  });
}

function unreachable(path: string, problem: ConnectionProblem | null): RelaygateError {
  switch (problem?.code) {
    case 'ENOENT':
    case 'ECONNREFUSED':
      return new RelaygateError(
        'agent-unreachable',
        `The agent does not run (${path}): start relaygate-agent, or give its --run.`,
      );
    case 'EACCES':
      return new RelaygateError(
        'agent-unreachable',
        `The agent's socket ${path} is not for this user: use sudo, or join the group relaygate-tech.`,
      );
    default:
      return new RelaygateError(
        'agent-unreachable',
        `The agent cannot be reached (${path}): ${problem?.message ?? 'it hung up'}.`,
      );
  }
}
