import { createPrivateKey, X509Certificate } from 'node:crypto';
import { createServer, IncomingMessage, type RequestListener, type Server, ServerResponse } from 'node:http';
import { createServer as createTlsServer, type ServerOptions } from 'node:https';
import { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import {
  type Clock,
  type ErrorCode,
  KEEP_ALIVE_MS,
  MAX_REQUEST_HEADERS,
  RELEASE_MS,
  REQUEST_HEADERS_MS,
  RelaygateError,
  statusOf,
  TLS_HANDSHAKE_MS,
  WHOLE_REQUEST_MS,
} from '@relaygate/shared';
import type { Express } from 'express';
import { messageOf } from '../foreign-error';
import type { RefusalLog } from '../log/refusal-log';
import type { Peers } from './client-address';
import { OpenConnections, type OpenConnectionsDeps } from './open-connections';
import { type OpenRequests, type OpenRequestsDeps, trackRequests } from './open-requests';
import { nameRequest, newRequestId, REQUEST_ID, requestIdOf } from './request-id';

const CHECK_TIMEOUTS_EVERY_MS = 1_000;
/** However many connections come meanwhile. */
const ACCEPTED_WITHIN_MS = 250;

export interface ListenAddress {
  host: string;
  /** 0 picks a free port. */
  port: number;
}

export interface HttpServer {
  server: Server;
  requests: OpenRequests;
  connections: OpenConnections;
}

export interface HttpServerDeps extends Pick<OpenConnectionsDeps, 'addressOf' | 'peers' | 'clock'> {
  app: Express;
  tls: { cert: Buffer; key: Buffer } | undefined;
  state: OpenRequestsDeps['state'];
  refusals: RefusalLog;
}

/**
 * Makes a server that does not listen yet. `tls`: certificate and key, PEM; fails with `bad-setting` if they are not a
 * usable pair. While it is leaving, each answer ends its connection.
 */
export function httpServer({ app, tls, state, refusals, ...deps }: HttpServerDeps): HttpServer {
  const options = {
    ...messagesOf(app),
    connectionsCheckingInterval: CHECK_TIMEOUTS_EVERY_MS,
    // Node's own answer to a request without Host would lack the contract's body and headers.
    requireHostHeader: false,
  };
  const server = tls ? tlsServer({ ...options, ...tls, handshakeTimeout: TLS_HANDSHAKE_MS }) : createServer(options);
  // With a maximum, Node drops further headers without an error, perhaps Content-Length. Their size and `problemOf` limit them.
  server.maxHeadersCount = 0;
  server.requestTimeout = WHOLE_REQUEST_MS;
  server.headersTimeout = REQUEST_HEADERS_MS;
  server.keepAliveTimeout = KEEP_ALIVE_MS;
  const requests = trackRequests(server, { state, left: (request) => connections.left(request) });
  const connections = new OpenConnections(server, { requests, ...deps });
  const answer: RequestListener = (request, response) => {
    if (!requests.takes(request) || !connections.takes(request)) return void request.socket.destroy();
    nameRequest(request, response);
    // Whoever hears nothing does not know whether it was done.
    const code = requests.isTooLate(request) ? 'unknown' : problemOf(request);
    if (code === undefined) return void app(request, response);
    refusals.note(code, deps.addressOf(request), () => requestIdOf(response));
    sendRaw(response, code);
  };
  server.on('request', answer);
  server.on('checkExpectation', answer);
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    // Before the TLS handshake is done, no answer can be written.
    const refused = connections.isOpen(socket) ? answerUnreadable(socket, requests.on(socket)) : undefined;
    if (!refused) return void socket.destroy();
    const { code, requestId } = refused;
    // Behind a trusted proxy this is the proxy's address: the request does not show its client.
    refusals.note(code, addressOfPeer(socket, deps.peers), () => ({ requestId, reason: error.code }));
  });
  return { server, requests, connections };
}

/** Resolves with the port. Fails with `port-in-use`, or with `bad-setting` if this machine does not have the address. */
export function listen(server: Server, { host, port }: ListenAddress): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', (cause: NodeJS.ErrnoException) => reject(listenError(cause, host, port)));
    server.listen(port, host, () => {
      const address = server.address();
      resolve(typeof address === 'object' && address ? address.port : port);
    });
  });
}

/**
 * Where a server stops to listen, the kernel resets the connections that it has taken and the process has not: their requests would get
 * no answer. Each turn of the event loop accepts one of them, but for that in which this begins.
 */
export async function queueAccepted(server: Server, clock: Clock): Promise<void> {
  const untilMs = clock.nowMs() + ACCEPTED_WITHIN_MS;
  let isEmpty = false;
  const taken = (): void => {
    isEmpty = false;
  };
  server.on('connection', taken);
  await setImmediate();
  while (!isEmpty && clock.nowMs() < untilMs) {
    isEmpty = true;
    await setImmediate();
  }
  server.off('connection', taken);
}

/**
 * Classes of requests and responses that inherit from Express's prototypes. Express would set the prototype of each object,
 * and V8 is slow with objects whose prototype was changed.
 */
function messagesOf(app: Express): { IncomingMessage: typeof IncomingMessage; ServerResponse: typeof ServerResponse } {
  class AppRequest extends IncomingMessage {}
  class AppResponse<Request extends IncomingMessage> extends ServerResponse<Request> {}
  app.request = Object.setPrototypeOf(AppRequest.prototype, app.request);
  app.response = Object.setPrototypeOf(AppResponse.prototype, app.response);
  return { IncomingMessage: AppRequest, ServerResponse: AppResponse };
}

function tlsServer(options: ServerOptions & { cert: Buffer; key: Buffer }): Server {
  try {
    // Node accepts a key that does not belong to the certificate, and then fails every handshake.
    if (!new X509Certificate(options.cert).checkPrivateKey(createPrivateKey(options.key)))
      throw new Error('the key is not that of the certificate');
    return createTlsServer(options);
  } catch (cause) {
    const text = `RELAYGATE_TLS_CERT and RELAYGATE_TLS_KEY must be PEM files of one pair (${messageOf(cause)}).`;
    throw new RelaygateError('bad-setting', text, { cause });
  }
}

function listenError(cause: NodeJS.ErrnoException, host: string, port: number): RelaygateError {
  const setting = 'RELAYGATE_LISTEN';
  if (cause.code === 'EADDRINUSE') {
    const text = `${host}:${port} is in use by another program; stop it or choose another ${setting}.`;
    return new RelaygateError('port-in-use', text, { cause });
  }
  if (cause.code === 'EACCES') {
    const text = `This user may not listen at ${host}:${port}; choose a port from 1024 on in ${setting}.`;
    return new RelaygateError('bad-setting', text, { cause });
  }
  const text = `Cannot listen at ${host}:${port} (${cause.code}); ${setting} must be an address of this machine.`;
  return new RelaygateError('bad-setting', text, { cause });
}

function problemOf({ rawHeaders, url }: IncomingMessage): 'bad-request' | 'invalid-params' | undefined {
  if (rawHeaders.length > 2 * MAX_REQUEST_HEADERS) return 'bad-request';
  return isReadable(url) ? undefined : 'invalid-params';
}

function addressOfPeer(socket: Duplex, peers: Peers): string {
  const peer = socket instanceof Socket ? socket.remoteAddress : undefined;
  return peer === undefined ? 'unknown' : peers.addressOf(peer);
}

/** Express gives no answer of the contract if the absolute form of a URL is broken. */
function isReadable(url = ''): boolean {
  return url.startsWith('/') || URL.canParse(url, 'http://localhost');
}

/**
 * Answers bytes that cannot be parsed, or that did not arrive in time, and ends the connection. If a route waits for the rest
 * of this request, the answer is that request's. If a command runs for this connection, only the device may answer it, so
 * the connection is to be cut: returns undefined. Otherwise returns the code and the Request-Id of the answer.
 */
function answerUnreadable(
  socket: Duplex,
  waiting: readonly ServerResponse[],
): { code: ErrorCode; requestId: unknown } | undefined {
  const last = waiting.at(-1);
  if (last && !last.req.complete && !last.headersSent) {
    last.once('finish', () => cutSoon(socket));
    sendRaw(last, 'invalid-params');
    return { code: 'invalid-params', ...requestIdOf(last) };
  }
  if (last || !socket.writable) return undefined;
  const code: ErrorCode = 'bad-request';
  const body = JSON.stringify({ error: code });
  const requestId = newRequestId();
  const type = ['Content-Type: application/json; charset=utf-8', `Content-Length: ${body.length}`];
  const headers = [...type, 'Cache-Control: no-store', 'Connection: close', `${REQUEST_ID}: ${requestId}`];
  socket.end([`HTTP/1.1 ${statusOf(code)} Bad Request`, ...headers, '', body].join('\r\n'));
  cutSoon(socket);
  return { code, requestId };
}

/** `end` closes only our side, and the client may never close the other. */
function cutSoon(socket: Duplex): void {
  const cut = setTimeout(() => socket.destroy(), RELEASE_MS);
  socket.once('close', () => clearTimeout(cut));
}

/** For requests that do not reach Express. */
function sendRaw(response: ServerResponse, code: ErrorCode): void {
  const body = JSON.stringify({ error: code });
  const type = { 'Content-Type': 'application/json; charset=utf-8', 'Content-Length': body.length };
  response.writeHead(statusOf(code), { ...type, 'Cache-Control': 'no-store', Connection: 'close' }).end(body);
}
