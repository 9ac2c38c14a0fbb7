import { createConnection } from 'node:net';
import { type Clock, RelaygateError } from '@relaygate/shared';

/**
 * Rejects if the server does not greet within `timeoutMs`, as one that is frozen: the client of NATS would leave the socket to it open,
 * one for each try.
 */
export function refuseSilentServer(
  { host, port }: { host: string; port: number },
  timeoutMs: number,
  clock: Clock,
): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = createConnection(port, host);
    const end = (settle: () => void): void => {
      cancel();
      socket.destroy();
      settle();
    };
    const cancel = clock.after(timeoutMs, () =>
      end(() => reject(new RelaygateError('unknown', 'NATS does not greet.'))),
    );
    socket.once('data', () => end(resolve));
    socket.once('error', (error) => end(() => reject(error)));
    socket.once('end', () => end(() => reject(new RelaygateError('unknown', 'NATS has hung up.'))));
  });
}
