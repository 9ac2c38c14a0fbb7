import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { OpenCount } from '../open-count';

export interface OpenRequests {
  readonly count: OpenCount;
  /** False: the server has stopped answering, and this one came too late to be waited for. */
  takes(request: IncomingMessage): boolean;
  /** The answer that this connection waits for, while it has not begun. */
  on(socket: Duplex): ServerResponse | undefined;
}

/**
 * Knows the requests being answered; while the server stops, each answer ends its connection. Once the last one is
 * answered the stop goes on to close links and database, so a request that comes behind it on a connection that is
 * still open is not taken: a command begun then would have no link and no record of its end (T17).
 */
export function trackRequests(server: Server, state: { stopping: boolean }): OpenRequests {
  const count = new OpenCount();
  const open = new WeakMap<Duplex, ServerResponse>();
  const tooLate = new WeakSet<IncomingMessage>();
  server.prependListener('request', (request, response) => {
    const { socket } = request;
    if (state.stopping && count.open === 0) return void tooLate.add(request);
    count.enter();
    if (!open.has(socket)) open.set(socket, response);
    if (state.stopping) response.setHeader('Connection', 'close');
    response.once('close', () => {
      count.leave();
      if (open.get(socket) === response) open.delete(socket);
      // It may have begun before the stop, and so without that header.
      if (state.stopping) server.closeIdleConnections();
    });
  });
  return {
    count,
    takes: (request) => !tooLate.has(request),
    on(socket) {
      const response = open.get(socket);
      return response?.headersSent ? undefined : response;
    },
  };
}
