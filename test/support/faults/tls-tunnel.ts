import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { connect } from 'node:tls';

/** An address without TLS for a server that has it: fetch takes no certificate of ours. */
export class TlsTunnel {
  readonly url: string;
  readonly #server: Server;

  static async start(port: () => number, certFile: string): Promise<TlsTunnel> {
    const ca = readFileSync(certFile);
    const server = createServer((near) => {
      const far = connect({ host: '127.0.0.1', port: port(), ca });
      near.pipe(far).pipe(near);
      near.on('error', () => far.destroy()).on('close', () => far.destroy());
      far.on('error', () => near.destroy()).on('close', () => near.destroy());
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return new TlsTunnel(server);
  }

  private constructor(server: Server) {
    this.#server = server;
    const address = server.address();
    this.url = `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`;
  }

  /** The connections end with the server's. */
  stop(): void {
    this.#server.close();
  }
}
