import type { IncomingMessage, Server } from 'node:http';
import type { Duplex } from 'node:stream';
import {
  Budget,
  CLOSE,
  type Clock,
  FRAME_LIMITS,
  LINK_FRAME_BURST,
  LINK_MAX_FRAME_BYTES,
  LINK_PATH,
  LINK_SUBPROTOCOL,
  MAX_UNAUTHENTICATED_LINKS,
  MAX_UNAUTHENTICATED_LINKS_PER_ADDRESS,
} from '@relaygate/shared';
import { type RawData, type ServerOptions, type WebSocket, WebSocketServer } from 'ws';
import { DeviceLink, type DeviceLinkDeps } from '../devices/device-link';
import type { DeviceSocket } from '../devices/device-socket';
import { AddressLimitedSet } from '../limits/address-limited-set';
import type { RefusalCode } from '../log/refusal-log';

/** How long the peer may take to answer a close frame before the socket is cut. */
const CLOSE_GRACE_MS = 2_000;
/** RFC 6455 section 5.5: 125 bytes, two of them for the code. */
const CLOSE_REASON_MAX_BYTES = 123;

export interface WsEndpoint {
  /** Closes every link with 1012; devices link again by themselves. */
  stop(): void;
}

export interface WsEndpointDeps extends DeviceLinkDeps {
  addressOf(request: IncomingMessage): string;
  /** The connection of this request carries a link from now on. */
  linkBegins(request: IncomingMessage): void;
  /** The device of this link has proven which product it is. */
  authenticated(request: IncomingMessage): void;
  /** Whether a request of this connection is not answered yet. */
  isAnswering(socket: Duplex): boolean;
  /** Names a handshake that is refused, in its answer and in the log. */
  newRequestId(): string;
  /** For upgrade requests to other paths. */
  serveNonUpgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void;
}

/** Accepts device links: WebSocket upgrades of `server` at LINK_PATH. */
export function serveDeviceLinks(server: Server, deps: WsEndpointDeps): WsEndpoint {
  /** Links whose device has not proven itself yet (I15). A few addresses cannot keep devices out, because they lose theirs first. */
  const unauthenticated = new AddressLimitedSet<PendingLink>({
    clock: deps.clock,
    maxPerAddress: MAX_UNAUTHENTICATED_LINKS_PER_ADDRESS,
    max: MAX_UNAUTHENTICATED_LINKS,
    mayEvict: () => true,
    evict: (link) => link.evict(),
  });
  // The types of ws do not declare closeTimeout and maxPendingAutoPongs yet.
  const options: ServerOptions & { closeTimeout: number; maxPendingAutoPongs: number } = {
    noServer: true,
    clientTracking: false,
    closeTimeout: CLOSE_GRACE_MS,
    perMessageDeflate: false,
    maxPayload: LINK_MAX_FRAME_BYTES,
    maxFragments: 16,
    // Above the frame budget, which ends the link first, with a code that shows the reason.
    maxPendingAutoPongs: LINK_FRAME_BURST + 1,
    handleProtocols: (offered) => (offered.has(LINK_SUBPROTOCOL) ? LINK_SUBPROTOCOL : false),
  };
  const wss = new WebSocketServer(options);
  let stopped = false;

  // ws refuses some handshakes itself.
  wss.on('wsClientError', (_error: Error, socket: Duplex, request: IncomingMessage) => {
    refuse(BAD_HANDSHAKE, deps.addressOf(request), socket);
  });

  server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    // An earlier request of this connection is not answered yet, and answers must keep the order of the requests.
    if (deps.isAnswering(socket)) return void socket.destroy();
    if (request.url?.split('?')[0] !== LINK_PATH) return deps.serveNonUpgrade(request, socket, head);
    socket.on('error', () => socket.destroy());
    const address = deps.addressOf(request);
    const link = new PendingLink(request);
    const problem = problemOf(request) ?? (stopped || !unauthenticated.add(link, address) ? FULL : undefined);
    if (problem) return refuse(problem, address, socket);
    socket.once('close', () => unauthenticated.delete(link));
    deps.linkBegins(request);
    wss.handleUpgrade(request, socket, head, (ws) => accept(ws, link, address));
  });

  function refuse({ status, code }: UpgradeProblem, address: string, socket: Duplex): void {
    const requestId = deps.newRequestId();
    deps.refusals.note(code, address, () => ({ requestId }));
    answer(socket, status, requestId);
  }

  function accept(ws: WebSocket, link: PendingLink, address: string): void {
    const connection = new Connection(ws, deps, address);
    link.begun(connection);
    ws.on('message', (data, isBinary) => {
      if (!connection.isOpen) return connection.count();
      connection.received(data, isBinary);
      if (connection.link.isAuthenticated) authenticated(link);
    });
    ws.on('ping', () => connection.count());
    ws.on('pong', () => connection.count());
    ws.on('close', () => connection.link.ended());
    ws.on('error', (err) => deps.log.debug({ address, err }, 'link broken'));
  }

  function authenticated(link: PendingLink): void {
    const request = link.takeRequest();
    if (request && unauthenticated.delete(link)) deps.authenticated(request);
  }

  return {
    stop() {
      stopped = true;
      for (const link of unauthenticated.all()) link.closeForRestart();
      for (const link of deps.registry.all()) link.closeForRestart();
    },
  };
}

/** A link counts before its WebSocket opens. */
class PendingLink {
  /** Only until the device is authenticated: a link lasts for months, and its headers are not needed that long. */
  #request: IncomingMessage | undefined;
  #connection: Connection | undefined;

  constructor(request: IncomingMessage) {
    this.#request = request;
  }

  begun(connection: Connection): void {
    this.#connection = connection;
  }

  /** Undefined the second time. */
  takeRequest(): IncomingMessage | undefined {
    const request = this.#request;
    this.#request = undefined;
    return request;
  }

  /** Makes room for another link; the device links again by itself. */
  evict(): void {
    this.#connection?.end(CLOSE.tryLater, 'too many links that have not proven themselves');
  }

  closeForRestart(): void {
    this.#connection?.link.closeForRestart();
  }
}

/** The WebSocket of one link. */
class Connection implements DeviceSocket {
  readonly link: DeviceLink;
  readonly send: (text: string) => void;
  readonly #ws: WebSocket;
  readonly #clock: Clock;
  /** For frames that the link does not count: pings, pongs, and frames after its end (I15, T18). */
  #otherFrames: Budget;

  constructor(ws: WebSocket, deps: DeviceLinkDeps, address: string) {
    this.#ws = ws;
    this.send = ws.send.bind(ws);
    this.#clock = deps.clock;
    this.#otherFrames = new Budget(deps.clock, FRAME_LIMITS);
    this.link = new DeviceLink(deps, this, address);
  }

  get queuedBytes(): number {
    return this.#ws.bufferedAmount;
  }

  get isOpen(): boolean {
    return this.#ws.readyState === this.#ws.OPEN;
  }

  received(data: RawData, isBinary: boolean): void {
    if (isBinary) this.link.receivedBinary();
    else this.link.received(data.toString());
  }

  count(): void {
    if (this.#otherFrames.take() === 0) return;
    if (this.isOpen) this.end(CLOSE.protocolError, 'too many frames');
    // Not cut before CLOSE_GRACE_MS, so that the device can still read the close code.
    else this.#ws.pause();
  }

  end(code: number, reason: string): void {
    // A new budget, because frames that are already under way are no flood.
    this.#otherFrames = new Budget(this.#clock, FRAME_LIMITS);
    this.close(code, reason);
    this.link.ended();
  }

  close(code: number, reason: string): void {
    this.#ws.close(code, withinBytes(reason, CLOSE_REASON_MAX_BYTES));
  }

  terminate(): void {
    this.#ws.terminate();
  }
}

/** Cuts no character in two. */
function withinBytes(text: string, maxBytes: number): string {
  return new TextDecoder().decode(Buffer.from(text).subarray(0, maxBytes), { stream: true });
}

interface UpgradeProblem {
  status: string;
  code: RefusalCode;
}

const FULL: UpgradeProblem = { status: '503 Service Unavailable', code: 'links-full' };
const FROM_PAGE: UpgradeProblem = { status: '403 Forbidden', code: 'link-origin' };
const NO_SUBPROTOCOL: UpgradeProblem = { status: '400 Bad Request', code: 'link-subprotocol' };
const BAD_HANDSHAKE: UpgradeProblem = { status: '400 Bad Request', code: 'link-handshake' };

/** Why this upgrade is not a device's; undefined if it is. */
function problemOf(request: IncomingMessage): UpgradeProblem | undefined {
  const subprotocols = (request.headers['sec-websocket-protocol'] ?? '').split(',').map((name) => name.trim());
  // Browsers send an Origin, devices do not. A page must not open links from its visitor's network.
  if (request.headers.origin !== undefined) return FROM_PAGE;
  return subprotocols.includes(LINK_SUBPROTOCOL) ? undefined : NO_SUBPROTOCOL;
}

/** Destroys the socket, because Node's time-outs do not apply to a socket that was handed over. */
function answer(socket: Duplex, status: string, requestId: string): void {
  socket.once('finish', () => socket.destroy());
  // RFC 6455 section 4.4: which version is served.
  const version = 'Sec-WebSocket-Version: 13';
  const headers = ['Connection: close', 'Content-Length: 0', version, `Request-Id: ${requestId}`];
  socket.end([`HTTP/1.1 ${status}`, ...headers, '', ''].join('\r\n'));
}
