import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { MAX_PIPELINED_REQUESTS } from '@relaygate/shared';
import { ActivityCounter, type RunningRequests } from '../activity-counter';

export interface OpenRequests extends RunningRequests {
  /** False: it came too late for a server that stops, or too many wait on its connection already. */
  takes(request: IncomingMessage): boolean;
  /** The answers that this connection waits for, in their order; several when its client did not wait for them. */
  on(socket: Duplex): ServerResponse[];
}

export interface OpenRequestsDeps {
  state: { stopping: boolean };
  /** It is answered, or its connection is gone. */
  left(request: IncomingMessage): void;
}

/**
 * Knows the requests being answered; while the server stops, each answer ends its connection. Once the last one is
 * answered the stop goes on to close links and database, so a request that comes behind it on a connection that is
 * still open is not taken: a command begun then would have no link and no record of its end (T17). Nor is one that
 * comes after the uploads were ended: it might still run when the stop's time is over.
 */
export function trackRequests(server: Server, { state, left }: OpenRequestsDeps): OpenRequests {
  const count = new ActivityCounter();
  const open = new Set<ServerResponse>();
  const bySocket = new WeakMap<Duplex, Set<ServerResponse>>();
  const tooLate = new WeakSet<IncomingMessage>();
  let takesNone = false;

  function leave(response: ServerResponse): void {
    if (!open.delete(response)) return;
    bySocket.get(response.req.socket)?.delete(response);
    left(response.req);
    count.leave();
  }

  /** An answer that waits behind another is told nothing of their connection's end. */
  function setOf(socket: Duplex): Set<ServerResponse> {
    const known = bySocket.get(socket);
    if (known) return known;
    const added = new Set<ServerResponse>();
    bySocket.set(socket, added);
    socket.once('close', () => {
      for (const response of [...added]) leave(response);
    });
    return added;
  }

  server.prependListener('request', (request, response) => {
    if (state.stopping && (takesNone || count.running === 0)) return void tooLate.add(request);
    count.enter();
    open.add(response);
    setOf(request.socket).add(response);
    if (state.stopping) response.setHeader('Connection', 'close');
    response.once('close', () => {
      leave(response);
      // It may have begun before the stop, and so without that header.
      if (state.stopping) server.closeIdleConnections();
    });
  });
  return {
    whenIdle: (clock, timeoutMs) => count.whenIdle(clock, timeoutMs),
    endUploads() {
      takesNone = true;
      for (const { req } of [...open]) if (!req.complete) req.socket.destroy();
    },
    takes: (request) => !tooLate.has(request) && (bySocket.get(request.socket)?.size ?? 0) <= MAX_PIPELINED_REQUESTS,
    on: (socket) => [...(bySocket.get(socket) ?? [])],
  };
}
