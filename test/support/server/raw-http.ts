import { connect, type Socket } from 'node:net';

/** A TCP connection to the server, for what no HTTP client would send. */
export class RawHttp {
  readonly socket: Socket;
  #received = '';
  #isClosed = false;
  readonly #watchers = new Set<() => void>();

  /** `from`: which of this machine's addresses it comes from. `neverCloses`: also when the server has ended its side. */
  constructor(url: string, { from = '127.0.0.1', neverCloses = false } = {}) {
    const { hostname, port } = new URL(url);
    this.socket = connect({ port: Number(port), host: hostname, localAddress: from, allowHalfOpen: neverCloses });
    this.socket.on('data', (data) => {
      this.#received += data.toString('latin1');
      this.#look();
    });
    this.socket.on('close', () => {
      this.#isClosed = true;
      this.#look();
    });
    this.socket.on('error', () => {});
  }

  send(...lines: string[]): void {
    this.socket.write(lines.join('\r\n'));
  }

  get received(): string {
    return this.#received;
  }

  /** What came, once it matches; rejects when the connection ends before. */
  match(pattern: RegExp): Promise<string> {
    return this.#until(() => pattern.test(this.#received), pattern.source);
  }

  /** What came, once it is so; rejects when the connection ends before. */
  until(isSo: (received: string) => boolean, what: string): Promise<string> {
    return this.#until(() => isSo(this.#received), what);
  }

  closed(): Promise<string> {
    return this.#until(() => this.#isClosed, 'the end');
  }

  #until(done: () => boolean, what: string): Promise<string> {
    return new Promise((resolve, reject) => {
      const look = (): void => {
        if (done()) resolve(this.#received);
        else if (this.#isClosed) reject(new Error(`waited for ${what}, got ${this.#received}`));
        else return;
        this.#watchers.delete(look);
      };
      this.#watchers.add(look);
      look();
    });
  }

  #look(): void {
    for (const look of [...this.#watchers]) look();
  }
}
