import { createPrivateKey, X509Certificate } from 'node:crypto';
import { createServer, IncomingMessage, type RequestListener, type Server, ServerResponse } from 'node:http';
import { createServer as createTlsServer, type ServerOptions } from 'node:https';
import { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import {
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
import type { RefusalLog } from '../refusal-log';
import type { Peers } from './client-address';
import { OpenConnections, type OpenConnectionsDeps } from './open-connections';
import { type OpenRequests, trackRequests } from './open-requests';

const CHECK_TIMEOUTS_EVERY_MS = 1_000;

export interface ListenAddress {
  host: string;
  /** 0 picks a free one. */
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
  state: { stopping: boolean };
  refusals: RefusalLog;
}

/**
 * A server that is not listening yet; with TLS when certificate and key (PEM) are given. Fails with `bad-setting`
 * when they are not usable. While `state.stopping`, each answer ends its connection.
 */
export function httpServer({ app, tls, state, refusals, ...deps }: HttpServerDeps): HttpServer {
  // A request without Host is answered like any other, with the contract's body and headers.
  const options = {
    ...messagesOf(app),
    connectionsCheckingInterval: CHECK_TIMEOUTS_EVERY_MS,
    requireHostHeader: false,
  };
  const server = tls ? tlsServer({ ...options, ...tls, handshakeTimeout: TLS_HANDSHAKE_MS }) : createServer(options);
  // Without a bound of its own it gives all of them, so that what is passed on loses none; their bytes are bounded.
  server.maxHeadersCount = 0;
  server.requestTimeout = WHOLE_REQUEST_MS;
  server.headersTimeout = REQUEST_HEADERS_MS;
  server.keepAliveTimeout = KEEP_ALIVE_MS;
  const requests = trackRequests(server, { state, left: (request) => connections.left(request) });
  const connections = new OpenConnections(server, { requests, ...deps });
  const answer: RequestListener = (request, response) => {
    if (!requests.takes(request) || !connections.takes(request)) return void request.socket.destroy();
    const code = problemOf(request);
    if (code === undefined) return void app(request, response);
    refusals.note(code, deps.addressOf(request));
    sendRaw(response, code);
  };
  server.on('request', answer);
  server.on('checkExpectation', answer);
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    // Without TLS agreed on nothing can be written.
    const code = connections.isOpen(socket) ? answerUnreadable(socket, requests.on(socket)) : undefined;
    if (code === undefined) return void socket.destroy();
    // Of a proxy that is trusted, its own: whom it passes on cannot be read.
    refusals.note(code, addressOfPeer(socket, deps.peers), () => ({ reason: error.code }));
  });
  return { server, requests, connections };
}

/** The port it listens at. Fails with `port-in-use`, or `bad-setting` when the address is not this machine's. */
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
 * Classes whose objects are born with the prototypes that Express would give to each request and response: changing the
 * prototype of a living object makes every later use of it slow.
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
    // Node itself takes a key of another kind than the certificate's, and then fails every handshake.
    if (!new X509Certificate(options.cert).checkPrivateKey(createPrivateKey(options.key)))
      throw new Error('the key is not that of the certificate');
    return createTlsServer(options);
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    const text = `RELAYGATE_TLS_CERT and RELAYGATE_TLS_KEY must be PEM files of one pair (${reason}).`;
    throw new RelaygateError('bad-setting', text, { cause });
  }
}

function listenError(cause: NodeJS.ErrnoException, host: string, port: number): RelaygateError {
  const setting = 'RELAYGATE_LISTEN';
  if (cause.code === 'EADDRINUSE') {
    const text = `${host}:${port} is in use by another program; stop it or choose another ${setting}.`;
    return new RelaygateError('port-in-use', text, { cause });
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

/** Express leaves without an answer of ours when the absolute form of a URL is broken. */
function isReadable(url = ''): boolean {
  return url.startsWith('/') || URL.canParse(url, 'http://localhost');
}

/**
 * What came cannot be parsed, or not in time. If it is the rest of a request that a route waits for, that route's answer
 * says so; if a command runs for this connection, its answer must not be made up (only 200 or 504), so the connection is
 * cut. The client need not end it: the server does. Returns what it has answered; undefined where the connection is to go
 * without an answer.
 */
function answerUnreadable(socket: Duplex, waiting: readonly ServerResponse[]): ErrorCode | undefined {
  const last = waiting.at(-1);
  if (last && !last.req.complete && !last.headersSent) {
    last.once('finish', () => cutSoon(socket));
    sendRaw(last, 'invalid-params');
    return 'invalid-params';
  }
  if (last || !socket.writable) return undefined;
  const code: ErrorCode = 'bad-request';
  const body = JSON.stringify({ error: code });
  const headers = ['Content-Type: application/json; charset=utf-8', 'Cache-Control: no-store', 'Connection: close'];
  socket.end(
    [`HTTP/1.1 ${statusOf(code)} Bad Request`, ...headers, `Content-Length: ${body.length}`, '', body].join('\r\n'),
  );
  cutSoon(socket);
  return code;
}

/** Ending a connection only asks its client to do so too. */
function cutSoon(socket: Duplex): void {
  const cut = setTimeout(() => socket.destroy(), RELEASE_MS);
  socket.once('close', () => clearTimeout(cut));
}

/** Beyond the reach of Express. */
function sendRaw(response: ServerResponse, code: ErrorCode): void {
  const body = JSON.stringify({ error: code });
  const type = { 'Content-Type': 'application/json; charset=utf-8', 'Content-Length': body.length };
  response.writeHead(statusOf(code), { ...type, 'Cache-Control': 'no-store', Connection: 'close' }).end(body);
}
