import type { IncomingMessage, Server } from 'node:http';
import type { Duplex } from 'node:stream';
import { LINK_MAX_FRAME_BYTES, LINK_PATH, LINK_SUBPROTOCOL } from '@relaygate/shared';
import { type WebSocket, WebSocketServer } from 'ws';
import type { DeviceSocket } from './device-socket';
import { LinkSession } from './link-session';
import type { LinkSessionParts } from './link-session-parts';
import { UnprovenLinks } from './unproven-links';

/** After a close frame the peer has this long to answer before the socket is cut. */
const CLOSE_GRACE_MS = 2_000;

export interface WsEndpoint {
  /** Closes every link with 1012; devices come back by themselves. */
  stop(): void;
}

export interface WsEndpointParts extends LinkSessionParts {
  addressOf(request: IncomingMessage): string;
  /** Takes upgrade requests to other paths. */
  notOurs(request: IncomingMessage, socket: Duplex, head: Buffer): void;
}

/** Takes device links on an HTTP server's upgrades at LINK_PATH. */
export function serveDeviceLinks(server: Server, parts: WsEndpointParts): WsEndpoint {
  const unproven = new UnprovenLinks();
  const wss = new WebSocketServer({
    noServer: true,
    clientTracking: true,
    perMessageDeflate: false,
    maxPayload: LINK_MAX_FRAME_BYTES,
    maxFragments: 16,
    handleProtocols: (offered) => (offered.has(LINK_SUBPROTOCOL) ? LINK_SUBPROTOCOL : false),
  });
  let stopped = false;

  server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    if (request.url?.split('?')[0] !== LINK_PATH) return parts.notOurs(request, socket, head);
    socket.on('error', () => socket.destroy());
    const address = parts.addressOf(request);
    const problem = problemOf(request) ?? (stopped || !unproven.hasRoomFor(address) ? FULL : undefined);
    if (problem) return refuse(socket, problem);
    wss.handleUpgrade(request, socket, head, (ws) => accept(ws, address));
  });

  function accept(ws: WebSocket, address: string): void {
    const session = new LinkSession(parts, deviceSocket(ws), address);
    unproven.add(session, address);
    ws.on('message', (data, isBinary) => {
      if (isBinary) session.receivedBinary();
      else session.received(data.toString());
      if (session.isProven) unproven.delete(session);
    });
    ws.on('close', () => {
      unproven.delete(session);
      session.ended();
    });
    ws.on('error', (err) => parts.log.debug({ address, err }, 'link broken'));
  }

  return {
    stop() {
      stopped = true;
      for (const session of unproven.sessions()) session.restart();
      for (const link of parts.registry.all()) link.restart();
    },
  };
}

function deviceSocket(ws: WebSocket): DeviceSocket {
  return {
    get queuedBytes() {
      return ws.bufferedAmount;
    },
    get isOpen() {
      return ws.readyState === ws.OPEN;
    },
    send: (text) => ws.send(text),
    close(code, reason) {
      ws.close(code, reason.slice(0, 120));
      const cut = setTimeout(() => ws.terminate(), CLOSE_GRACE_MS);
      cut.unref();
      ws.once('close', () => clearTimeout(cut));
    },
    terminate: () => ws.terminate(),
  };
}

const FULL = '503 Service Unavailable';

/** Status line of the refusal, or undefined for an upgrade that is a device's. */
function problemOf(request: IncomingMessage): string | undefined {
  const subprotocols = (request.headers['sec-websocket-protocol'] ?? '').split(',').map((name) => name.trim());
  // Browsers send an Origin; devices have none. A page must not open links with its visitor's network.
  if (request.headers.origin !== undefined) return '403 Forbidden';
  return subprotocols.includes(LINK_SUBPROTOCOL) ? undefined : '400 Bad Request';
}

/** Node's time-outs do not count for a socket that was handed over, so it is not left half open. */
function refuse(socket: Duplex, status: string): void {
  socket.once('finish', () => socket.destroy());
  socket.end(`HTTP/1.1 ${status}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`);
}
