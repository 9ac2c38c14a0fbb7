import { once } from 'node:events';
import { connect, createServer, type Server, type Socket } from 'node:net';

/** `METHOD path` of a request. */
type CutAfter = (request: string) => number;

/**
 * Stands between HTTP clients and a server on loopback: requests pass, and of an answer as many bytes as the test says; then the
 * client's connection ends, and the server goes on with what it has.
 */
export class AnswerCutter {
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  /** Asked once for each answer, when its first bytes come. */
  cutAfter: CutAfter = () => Number.POSITIVE_INFINITY;
  /** Bytes of the last answer that passed as a whole. */
  passedBytes = 0;

  private constructor(toPort: number) {
    this.#server = createServer((client) => this.#join(client, connect(toPort, '127.0.0.1')));
  }

  static async start(serverUrl: string): Promise<AnswerCutter> {
    const cutter = new AnswerCutter(Number(new URL(serverUrl).port));
    cutter.#server.listen(0, '127.0.0.1');
    await once(cutter.#server, 'listening');
    return cutter;
  }

  get url(): string {
    const address = this.#server.address();
    return `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`;
  }

  async stop(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    this.#server.close();
    if (this.#server.listening) await once(this.#server, 'close');
  }

  #join(client: Socket, server: Socket): void {
    for (const socket of [client, server]) {
      this.#sockets.add(socket);
      socket.setNoDelay(true);
      socket.on('error', () => {});
      socket.on('close', () => this.#sockets.delete(socket));
    }
    let request = '';
    /** Bytes of this answer that may still pass; undefined before its first. */
    let left: number | undefined;
    client.on('data', (data) => {
      if (left !== undefined || request === '') request = data.toString('latin1').split(' ', 2).join(' ');
      left = undefined;
      server.write(data);
    });
    client.on('close', () => server.end());
    server.on('close', () => client.destroy());
    server.on('data', (data) => {
      if (left === undefined) {
        left = this.cutAfter(request);
        this.passedBytes = 0;
      }
      this.passedBytes += data.length;
      const passes = data.length <= left;
      left -= data.length;
      if (passes) return void client.write(data);
      const last = data.subarray(0, left + data.length);
      if (last.length === 0) client.destroy();
      else client.end(last);
    });
  }
}
