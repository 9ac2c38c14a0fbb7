import type { IncomingMessage, Server } from 'node:http';
import type { Duplex } from 'node:stream';
import { Server as TlsServer } from 'node:tls';

const UPGRADE_HEADERS = new Set(['upgrade', 'connection', 'http2-settings']);

/**
 * Serves a request that asked for an upgrade (h2c, say) as if it had not: a server may pass over Upgrade (RFC 9110
 * section 7.8), but Node hands such a connection over before its body is read. So its head is put back without the
 * wish, and the connection starts anew. All of its headers must be known: with Content-Length lost, its body would run
 * as a request (http-server.ts).
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
