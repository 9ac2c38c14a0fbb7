import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { MAX_PIPELINED_REQUESTS } from '@relaygate/shared';
import { ActivityCounter, type RunningRequests } from '../activity-counter';

export interface OpenRequests extends RunningRequests {
  /** False if too many requests of its connection wait for their answers. */
  takes(request: IncomingMessage): boolean;
  /** It came while the server stops, and nothing is begun for it any more. */
  isTooLate(request: IncomingMessage): boolean;
  /** Answers that are due on this connection, in their order; more than one if the client pipelines. */
  on(socket: Duplex): ServerResponse[];
}

export interface OpenRequestsDeps {
  state: { readonly leaving: boolean; readonly stopping: boolean };
  /** The request is answered, or its connection is closed. */
  left(request: IncomingMessage): void;
}

/**
 * Tracks the requests that are not answered yet. While the server is leaving, each answer ends its connection. When it stops and
 * the last one is answered, links and database are closed, so later requests on open connections are not taken: their commands would
 * have no link and no recorded outcome (T17). Requests after `endUploads` are not taken either, because they could still
 * run when the time of the stop is over.
 */
export function trackRequests(server: Server, { state, left }: OpenRequestsDeps): OpenRequests {
  const count = new ActivityCounter();
  // No Set holds the requests of all connections: V8 would keep answered ones in memory for long (DECISIONS.md says why).
  const bySocket = new Map<Duplex, Set<ServerResponse>>();
  const tooLate = new WeakSet<IncomingMessage>();
  let takesNone = false;

  function leave(response: ServerResponse): void {
    if (!bySocket.get(response.req.socket)?.delete(response)) return;
    left(response.req);
    count.leave();
  }

  /** Node emits no `close` on an answer that waits behind another, so the set watches the connection. */
  function setOf(socket: Duplex): Set<ServerResponse> {
    const known = bySocket.get(socket);
    if (known) return known;
    const added = new Set<ServerResponse>();
    bySocket.set(socket, added);
    socket.once('close', () => {
      for (const response of [...added]) leave(response);
      bySocket.delete(socket);
    });
    return added;
  }

  server.prependListener('request', (request, response) => {
    if (state.stopping && (takesNone || count.running === 0)) return void tooLate.add(request);
    count.enter();
    setOf(request.socket).add(response);
    if (state.leaving) response.setHeader('Connection', 'close');
    response.once('close', () => {
      leave(response);
      // A request from before the stop has no `Connection: close` in its answer.
      if (state.stopping) server.closeIdleConnections();
    });
  });
  return {
    whenIdle: (clock, timeoutMs) => count.whenIdle(clock, timeoutMs),
    endUploads() {
      takesNone = true;
      for (const [socket, responses] of bySocket) if ([...responses].some(({ req }) => !req.complete)) socket.destroy();
    },
    isTooLate: (request) => tooLate.has(request),
    takes: (request) => (bySocket.get(request.socket)?.size ?? 0) <= MAX_PIPELINED_REQUESTS,
    on: (socket) => [...(bySocket.get(socket) ?? [])],
  };
}
