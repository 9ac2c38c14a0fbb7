import { connect, createServer, type Server, type Socket } from 'node:net';

/** What happens to a COMMIT: it passes; or the client is cut off before the server has it, or before its answer. */
export type CommitFate = 'passes' | 'is lost' | 'is not answered';

const COMMIT = Buffer.from('COMMIT\0');

/** Stands between a client and a PostgreSQL server, or a broker, on loopback. */
export class CuttingProxy {
  readonly #server: Server;
  readonly #pairs = new Set<readonly [Socket, Socket]>();
  /** Of the next COMMIT. */
  commit: CommitFate = 'passes';
  /** New connections are closed at once. */
  isClosed = false;
  /** How much later this arrives at the other side; Infinity: never, and neither side notices. */
  delayMs: (data: Buffer) => number = () => 0;
  /** What comes to the server instead of what a client sends. */
  rewrite: (data: Buffer) => Buffer = (data) => data;
  /** Where new connections go. */
  toPort: number;

  private constructor(toPort: number) {
    this.toPort = toPort;
    this.#server = createServer((client) => this.#serve(client, this.toPort));
  }

  static async start(toPort: number): Promise<CuttingProxy> {
    const proxy = new CuttingProxy(toPort);
    await new Promise<void>((resolve) => proxy.#server.listen(0, '127.0.0.1', resolve));
    return proxy;
  }

  /** The same database, through here. */
  through(url: string): string {
    const address = this.#server.address();
    if (address === null || typeof address === 'string') throw new Error('the proxy does not listen');
    return url.replace(/127\.0\.0\.1:\d+/, `127.0.0.1:${address.port}`);
  }

  /** The server is told as well. */
  cutAll(): void {
    for (const pair of this.#pairs) for (const socket of pair) socket.destroy();
  }

  async stop(): Promise<void> {
    this.cutAll();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  #serve(client: Socket, toPort: number): void {
    if (this.isClosed) return void client.destroy();
    const server = connect(toPort, '127.0.0.1');
    const pair = [client, server] as const;
    this.#pairs.add(pair);
    let isCut = false;
    for (const socket of pair) {
      socket.setNoDelay(true);
      socket.on('error', () => {});
      socket.on('close', () => {
        this.#pairs.delete(pair);
        // The server works on what it has.
        if (!isCut) for (const one of pair) one.destroy();
      });
    }
    client.on('data', (sent) => {
      const data = this.rewrite(sent);
      if (this.commit === 'passes' || !data.includes(COMMIT)) return this.#pass(data, server);
      isCut = true;
      if (this.commit === 'is not answered') server.end(data);
      else server.destroy();
      this.commit = 'passes';
      client.destroy();
    });
    server.on('data', (data) => {
      if (!isCut) this.#pass(data, client);
    });
  }

  #pass(data: Buffer, to: Socket): void {
    const delayMs = this.delayMs(data);
    if (delayMs === 0) to.write(data);
    else if (delayMs < Number.POSITIVE_INFINITY) setTimeout(() => to.write(data), delayMs);
  }
}
