import { createServer } from 'node:net';
import { RelaygateError } from '@relaygate/shared/relaygate-error';
import type { ServeLines } from '../ipc/line-connection';
import { serveClient } from './unix-listener';

/** sd_listen_fds(3): the first file descriptor that the service manager hands over. */
const FIRST_FD = 3;

/**
 * Serves the listening socket that systemd has started this process with, until its last client has gone or it must stop;
 * clients are served to their end. For the next client systemd starts another process.
 */
export function serveInherited(serve: ServeLines, stopped: Promise<void>, env = process.env): Promise<void> {
  if (env.LISTEN_PID !== String(process.pid) || env.LISTEN_FDS !== '1')
    return Promise.reject(new RelaygateError('socket-unusable', 'This program is started by systemd, for its socket.'));
  return new Promise((resolve, reject) => {
    let clients = 0;
    const server = createServer({ pauseOnConnect: true }, (socket) => {
      clients += 1;
      socket.on('error', () => {});
      socket.once('close', () => {
        clients -= 1;
        if (clients === 0) resolve();
      });
      serveClient(socket, serve);
    });
    server.once('error', reject);
    server.listen({ fd: FIRST_FD });
    void stopped.then(() => server.close(() => resolve()));
  });
}
