import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer, type Server } from 'node:https';
import type { Socket } from 'node:net';
import { MAX_BODY_BYTES } from '@relaygate/shared';
import { systemClock } from '@relaygate/shared/system';
import type { AnswerWeb, Listening, ListenOptions } from '../agent/technician/web/web-exchange';
import { causeOf, codeOf } from '../runtime/problem';
import { refused } from '../runtime/refused';
import { type Connection, ConnectionRoom, hostOf } from './connection-room';

const MIN_VERSION = 'TLSv1.2';
/** T19: a client that is slower loses its connection, so that it cannot keep it from others. */
const HANDSHAKE_MS = 10_000;
const HEADERS_MS = 10_000;
const REQUEST_MS = 15_000;
const KEEP_ALIVE_MS = 10_000;
/** How long a connection may be silent: longer than the longest answer takes. */
const SILENCE_MS = 45_000;
/** How often Node looks for such clients. */
const CHECK_MS = 1_000;
const MAX_HEADER_BYTES = 8 * 1024;
/** How long answers under way may take when the page goes off. */
const GRACE_MS = 300;
/** The end of a connection is read one turn of the event loop after the last bytes, and reported with the next. */
const READ_TURNS = 2;

/** Listens over node:https until it is closed. Sizes, times and connections are bounded (I15). */
export async function httpsListener(
  { key, certificate, port, address }: ListenOptions,
  answer: AnswerWeb,
): Promise<Listening> {
  const server = createServer({
    key,
    cert: certificate,
    minVersion: MIN_VERSION,
    ALPNProtocols: ['http/1.1'],
    handshakeTimeout: HANDSHAKE_MS,
    headersTimeout: HEADERS_MS,
    requestTimeout: REQUEST_MS,
    keepAliveTimeout: KEEP_ALIVE_MS,
    connectionsCheckingInterval: CHECK_MS,
    maxHeaderSize: MAX_HEADER_BYTES,
  });
  server.timeout = SILENCE_MS;
  const { room, loggedIn } = boundedConnections(server);
  const busy = new WeakSet<Socket>();
  server.on('request', (request, response) => {
    // Browsers do not send a second request before the first one's answer.
    if (busy.has(request.socket)) {
      request.socket.destroy();
      return;
    }
    busy.add(request.socket);
    serve(request, response, answer, loggedIn)
      // A fault in one request must not end the agent.
      .catch(() => request.destroy())
      // Not at the response's close: its sender may have the answer, and ask again, before this process hears of that.
      .finally(() => busy.delete(request.socket));
  });
  // Half-done handshakes and the like are nobody else's fault.
  server.on('tlsClientError', (_error, socket) => socket.destroy());
  server.on('clientError', (error, socket) => refuseUnreadable(codeOf(error), socket as Socket));
  await listening(server, port, address);
  server.on('error', () => {});
  return {
    present: (newer) => server.setSecureContext({ key: newer.key, cert: newer.certificate, minVersion: MIN_VERSION }),
    close: () => closed(server, room),
  };
}

/**
 * All open connections, also those whose handshake is not done. `loggedIn`: a request over `socket` was of somebody who is
 * logged in.
 */
function boundedConnections(server: Server): { room: ConnectionRoom; loggedIn(socket: Socket): void } {
  const room = new ConnectionRoom(systemClock);
  const byPeer = new Map<string, Connection>();
  server.on('connection', (socket: Socket) => {
    const connection: Connection = {
      ...addressesOf(socket),
      end: () => socket.destroy(),
    };
    if (!room.enter(connection)) {
      socket.destroy();
      return;
    }
    const peer = peerOf(socket);
    byPeer.set(peer, connection);
    socket.once('close', () => {
      room.leave(connection);
      if (byPeer.get(peer) === connection) byPeer.delete(peer);
    });
  });
  return {
    room,
    loggedIn: (socket) => {
      const connection = byPeer.get(peerOf(socket));
      if (connection) room.logIn(connection);
    },
  };
}

function addressesOf({ remoteAddress, localAddress }: Socket): { address: string; ownAddress: string } {
  return { address: remoteAddress ?? '', ownAddress: localAddress ?? '' };
}

/** A key that is equal for a connection and for the TLS in it. */
function peerOf({ remoteAddress, remotePort }: Socket): string {
  return `${remoteAddress} ${remotePort}`;
}

async function serve(
  request: IncomingMessage,
  response: ServerResponse,
  answer: AnswerWeb,
  loggedIn: (socket: Socket) => void,
): Promise<void> {
  let body: Uint8Array | null;
  try {
    body = await bodyOf(request);
  } catch {
    // Whoever has sent half of the request has gone.
    request.destroy();
    return;
  }
  // If the connection has ended right after the request, nobody waits for an answer, and nothing moves.
  for (let turn = 0; turn < READ_TURNS; turn += 1) await new Promise((resolve) => setImmediate(resolve));
  if (request.socket.destroyed || !request.socket.writable) {
    request.destroy();
    return;
  }
  const {
    status,
    headers,
    body: content,
    hasSession,
  } = await answer({
    method: request.method ?? '',
    path: (request.url ?? '').split('?', 1)[0] ?? '',
    header: (name) => {
      const value = request.headers[name];
      return typeof value === 'string' ? value : undefined;
    },
    body,
    ownAddress: request.socket.localAddress ?? '',
    host: hostOf(addressesOf(request.socket)),
    givenUp: givenUpOf(response),
  });
  if (hasSession) loggedIn(request.socket);
  // The remaining bytes of a body that is too large are not read.
  const connection = body === null ? { Connection: 'close' } : {};
  response.writeHead(status, { ...headers, ...connection, ...lengthOf(status, content) });
  response.end(content);
}

/** Aborted also once the answer is sent, because nobody asks then. */
function givenUpOf(response: ServerResponse): AbortSignal {
  const givenUp = new AbortController();
  response.once('close', () => givenUp.abort());
  return givenUp.signal;
}

/** "Not modified" has none, because it would be the length of the page itself. */
function lengthOf(status: number, content: Uint8Array | string): Record<string, number> {
  return status === 304 ? {} : { 'Content-Length': Buffer.byteLength(content) };
}

/** null: it is larger than MAX_BODY_BYTES. */
async function bodyOf(request: IncomingMessage): Promise<Uint8Array | null> {
  if (Number(request.headers['content-length'] ?? 0) > MAX_BODY_BYTES) return null;
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request.iterator({ destroyOnReturn: false })) {
    bytes += chunk.length;
    if (bytes > MAX_BODY_BYTES) return null;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

function refuseUnreadable(code: string, socket: Socket): void {
  if (!socket.writable) {
    socket.destroy();
    return;
  }
  const status =
    code === 'ERR_HTTP_REQUEST_TIMEOUT'
      ? '408 Request Timeout'
      : code === 'HPE_HEADER_OVERFLOW'
        ? '431 Request Header Fields Too Large'
        : '400 Bad Request';
  const body = '{"error":{"code":"bad-request","message":"This is not HTTP as the page understands it."}}';
  const head = `Content-Type: application/json; charset=utf-8\r\nContent-Length: ${body.length}\r\nConnection: close`;
  socket.end(`HTTP/1.1 ${status}\r\n${head}\r\n\r\n${body}`);
}

function listening(server: Server, port: number, address: string | null): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', (cause) => {
      if (codeOf(cause) === 'EADDRINUSE') {
        reject(refused('port-in-use', 'port-taken', { port }, { cause }));
      } else reject(refused('refused', 'page-cannot-listen', { problem: causeOf(cause) }, { cause }));
    });
    server.listen({ port, ...(address === null ? {} : { host: address }) }, resolve);
  });
}

async function closed(server: Server, room: ConnectionRoom): Promise<void> {
  const ended = new Promise<void>((resolve) => server.close(() => resolve()));
  server.closeIdleConnections();
  const timer = setTimeout(() => room.endAll(), GRACE_MS);
  await ended;
  clearTimeout(timer);
}
