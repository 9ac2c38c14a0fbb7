import { createConnection, type Socket } from 'node:net';

const HEAD_END = '\r\n\r\n';
const CONTENT_LENGTH = /\r\ncontent-length: (\d+)/i;

/**
 * A keep-alive connection with one request at a time. Of HTTP it reads the status and Content-Length alone: node's own
 * client costs more than the server that is measured, on a machine that they share.
 */
export class HttpConnection {
  readonly #socket: Socket;
  #received = '';
  #answered: (status: number) => void = () => {};

  private constructor(socket: Socket) {
    this.#socket = socket;
    socket.setNoDelay(true);
    socket.setEncoding('latin1');
    socket.on('data', (text: string) => this.#take(text));
    socket.on('close', () => this.#answered(0));
    socket.on('error', () => {});
  }

  static open(port: number): Promise<HttpConnection> {
    return new Promise((resolve, reject) => {
      const socket = createConnection({ port, host: '127.0.0.1' }, () => {
        socket.off('error', reject);
        resolve(new HttpConnection(socket));
      });
      socket.once('error', reject);
    });
  }

  /** `answered` gets the status, 0 when the connection is gone. */
  exchange(request: Buffer, answered: (status: number) => void): void {
    this.#answered = answered;
    if (this.#socket.destroyed) answered(0);
    else this.#socket.write(request);
  }

  close(): void {
    this.#answered = () => {};
    this.#socket.destroy();
  }

  #take(text: string): void {
    this.#received += text;
    const headEnd = this.#received.indexOf(HEAD_END);
    if (headEnd < 0) return;
    const length = Number(CONTENT_LENGTH.exec(this.#received)?.[1] ?? 0);
    if (this.#received.length < headEnd + HEAD_END.length + length) return;
    const status = Number(this.#received.slice(9, 12));
    this.#received = '';
    this.#answered(status);
  }
}
