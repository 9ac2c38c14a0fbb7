/** What stands before a server in production: ends TLS and passes the bytes on. Devices dial no plain connection but loopback. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createServer, type Server } from 'node:tls';

const OPENSSL_LIMIT_MS = 20_000;

export class TlsFront {
  readonly certificate: string;
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  #isCut = false;

  /**
   * `address`: what devices dial, an IP address. `port`: of the server behind it, on this machine. `ageDays`: of its
   * certificate, for a device whose clock shows when its card was made; negative: it is not valid before so many days from now.
   */
  static async start(address: string, port: number, ageDays: number): Promise<TlsFront> {
    const front = new TlsFront(address, port, ageDays);
    await new Promise<void>((resolve) => front.#server.listen(0, '127.0.0.1', resolve));
    return front;
  }

  private constructor(address: string, port: number, ageDays: number) {
    const { key, certificate } = selfSigned(address, ageDays);
    this.certificate = certificate;
    this.#server = createServer({ key, cert: certificate }, (outer) => {
      if (this.#isCut) return void outer.destroy();
      const inner = connect(port, '127.0.0.1');
      for (const socket of [outer, inner]) {
        this.#sockets.add(socket);
        socket.on('error', () => {});
        socket.once('close', () => {
          this.#sockets.delete(socket);
          outer.destroy();
          inner.destroy();
        });
      }
      outer.pipe(inner).pipe(outer);
    });
    this.#server.on('tlsClientError', () => {});
  }

  get port(): number {
    const address = this.#server.address();
    return typeof address === 'object' && address !== null ? address.port : 0;
  }

  /** Ends all connections and takes no new one, until `heal`. */
  cut(): void {
    this.#isCut = true;
    for (const socket of this.#sockets) socket.destroy();
  }

  heal(): void {
    this.#isCut = false;
  }

  async stop(): Promise<void> {
    const closed = new Promise((resolve) => this.#server.close(resolve));
    for (const socket of this.#sockets) socket.destroy();
    await closed;
  }
}

function selfSigned(address: string, ageDays: number): { key: string; certificate: string } {
  const folder = mkdtempSync(join(tmpdir(), 'rg-tls-'));
  const [keyFile, certificateFile] = [join(folder, 'key.pem'), join(folder, 'certificate.pem')];
  const kind = [
    '-newkey',
    'ec',
    '-pkeyopt',
    'ec_paramgen_curve:prime256v1',
    '-nodes',
    '-days',
    String(Math.max(ageDays, 0) + 2),
  ];
  const subject = ['-subj', '/CN=relaygate test', '-addext', `subjectAltName=IP:${address}`];
  const files = ['-keyout', keyFile, '-out', certificateFile];
  try {
    const request = ['openssl', 'req', '-x509', ...kind, ...subject, ...files];
    const [program = '', ...args] =
      ageDays === 0 ? request : ['faketime', '-f', `${ageDays > 0 ? '-' : '+'}${Math.abs(ageDays)}d`, ...request];
    execFileSync(program, args, {
      stdio: 'ignore',
      timeout: OPENSSL_LIMIT_MS,
    });
    return { key: readFileSync(keyFile, 'utf8'), certificate: readFileSync(certificateFile, 'utf8') };
  } finally {
    rmSync(folder, { recursive: true });
  }
}
