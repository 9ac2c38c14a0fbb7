import { systemClock } from '@relaygate/shared/system';
import { RequestClient } from '../ipc/request-client';
import { unixDial } from './unix-dial';

/**
 * Asks a helper (`relaygate-helper`) one thing. Rejects with its RelaygateError, or with another error if it does not
 * answer.
 */
export function askHelper(socketPath: string, type: string, body: object, timeoutMs: number): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const connection = unixDial(socketPath)({
      opened() {
        requests
          .request(type, body, timeoutMs)
          .then(resolve, reject)
          .finally(() => connection.close());
      },
      line: (text) => void requests.takeLine(text),
      closed(problem) {
        const why = problem?.message ?? 'it hung up';
        requests.end(why);
        reject(new Error(`the helper at ${socketPath} gave no answer: ${why}`));
      },
    });
    const requests = new RequestClient(connection, systemClock);
  });
}
