import type { Server } from 'node:http';
import { type WebSocket, WebSocketServer } from 'ws';

/** What both echo servers do beside HTTP: one WebSocket a device, a frame out, the same frame back. Nothing is checked. */
export class EchoDevices {
  readonly #sockets = new Map<string, WebSocket>();
  readonly #waiting = new Map<string, () => void>();
  #lastId = 0;

  constructor(server: Server) {
    const wss = new WebSocketServer({ server, perMessageDeflate: false });
    wss.on('connection', (socket, request) => {
      this.#sockets.set((request.url ?? '').slice(1), socket);
      socket.on('message', (data) => {
        const { id } = JSON.parse(data.toString());
        this.#waiting.get(id)?.();
        this.#waiting.delete(id);
      });
    });
  }

  /** `done` runs when the device has echoed. */
  send(productLogin: string, command: object, done: () => void): void {
    this.#lastId += 1;
    const id = String(this.#lastId);
    this.#waiting.set(id, done);
    this.#sockets.get(productLogin)?.send(JSON.stringify({ id, ...command }));
  }
}

/** Tells the benchmark where the server listens. */
export function announce(server: Server): void {
  server.listen(0, '127.0.0.1', () => {
    const address = server.address();
    if (typeof address === 'object') process.stdout.write(`listening on http://127.0.0.1:${address?.port}\n`);
  });
}
