import type { IncomingMessage, Server } from 'node:http';
import type { Duplex } from 'node:stream';
import { Server as TlsServer } from 'node:tls';

const UPGRADE_HEADERS = new Set(['upgrade', 'connection', 'http2-settings']);

/**
 * Serves a request that asks for an unknown upgrade (such as h2c) as if it had not asked. A server may ignore Upgrade (RFC
 * 9110 section 7.8), but Node hands the connection over before it reads the body. So the head is put back without the
 * upgrade headers, and the connection starts again. The request must still have all its headers: without Content-Length
 * its body would run as a request (`maxHeadersCount` in http-server.ts).
 */
export function serveAsNonUpgrade(server: Server, request: IncomingMessage, socket: Duplex, rest: Buffer): void {
  const lines = [`${request.method} ${request.url} HTTP/${request.httpVersion}`];
  for (let n = 0; n < request.rawHeaders.length; n += 2) {
    const [name = '', value = ''] = request.rawHeaders.slice(n, n + 2);
    if (!UPGRADE_HEADERS.has(name.toLowerCase())) lines.push(`${name}: ${value}`);
  }
  const head = Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1');
  socket.removeAllListeners('error');
  socket.unshift(Buffer.concat([head, rest]));
  server.emit(server instanceof TlsServer ? 'secureConnection' : 'connection', socket);
}
