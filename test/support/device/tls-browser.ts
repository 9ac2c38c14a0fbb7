import { X509Certificate } from 'node:crypto';
import { type Agent, request } from 'node:https';
import { connect, type TLSSocket } from 'node:tls';
import { EXECUTION_DEADLINE_MS } from '@relaygate/shared';

interface Said {
  status: number;
  headers: NodeJS.Dict<string | string[]>;
  text: string;
  value: unknown;
}

const LIMIT_MS = 40_000;

/** What a browser sends to the technician's page over TLS: keeps its cookie and its token, and asks no authority. */
export class TlsBrowser {
  readonly #port: number;
  readonly #address: string;
  readonly #limitMs: number;
  cookie: string | null = null;
  csrfToken = '';

  /** `address`: its own, of the loopback network. */
  constructor(port: number, limitMs = LIMIT_MS, address = '127.0.0.1') {
    this.#port = port;
    this.#address = address;
    this.#limitMs = limitMs;
  }

  async logIn(pin: string, name?: string): Promise<Said> {
    const said = await this.send('POST', '/api/session', { pin, ...(name === undefined ? {} : { name }) });
    const cookie = said.headers['set-cookie']?.[0]?.split(';')[0];
    if (cookie !== undefined) this.cookie = cookie;
    const { value } = said;
    if (typeof value === 'object' && value && 'csrfToken' in value) this.csrfToken = String(value.csrfToken);
    return said;
  }

  async act(type: string, body: object = {}, headers: Record<string, string> = {}): Promise<Said> {
    const token = { 'x-csrf-token': this.csrfToken };
    const { value } = await this.send('POST', '/api/actions/status', {}, token);
    const notAfterMs = deviceNowMs(value) + EXECUTION_DEADLINE_MS;
    return this.send('POST', `/api/actions/${type}`, { notAfterMs, ...body }, { ...token, ...headers });
  }

  send(
    method: string,
    path: string,
    body?: object | string,
    headers: Record<string, string> = {},
    agent: Agent | false = false,
  ): Promise<Said> {
    const text = typeof body === 'string' ? body : JSON.stringify(body);
    const json = body === undefined ? {} : { 'content-type': 'application/json' };
    const cookie = this.cookie === null ? {} : { cookie: this.cookie };
    return new Promise((resolve, reject) => {
      const asked = request(
        {
          host: '127.0.0.1',
          localAddress: this.#address,
          port: this.#port,
          method,
          path,
          agent,
          rejectUnauthorized: false,
          timeout: this.#limitMs,
          headers: { ...json, ...cookie, ...headers },
        },
        (response) => {
          let answered = '';
          response.setEncoding('utf8');
          response.on('data', (chunk) => {
            answered += chunk;
          });
          response.on('end', () => {
            const isJson = response.headers['content-type']?.startsWith('application/json') ?? false;
            const value: unknown = isJson ? JSON.parse(answered) : null;
            resolve({ status: response.statusCode ?? 0, headers: response.headers, text: answered, value });
          });
          response.on('error', reject);
        },
      );
      asked.on('timeout', () => asked.destroy(new Error('no answer')));
      asked.on('error', reject);
      asked.end(text);
    });
  }

  /** A connection after its handshake; bytes are the caller's. */
  connection(): Promise<TLSSocket> {
    return new Promise((resolve, reject) => {
      const socket = connect({ host: '127.0.0.1', port: this.#port, rejectUnauthorized: false }, () => resolve(socket));
      socket.on('error', reject);
    });
  }

  async fingerprint(): Promise<string> {
    const socket = await this.connection();
    const { raw } = socket.getPeerCertificate();
    socket.destroy();
    return new X509Certificate(raw).fingerprint256;
  }
}

/** The device may be another machine, or an emulated one. Of whoever is not logged in: anything. */
function deviceNowMs(answer: unknown): number {
  if (typeof answer !== 'object' || answer === null || !('value' in answer)) return 0;
  const { value } = answer;
  return typeof value === 'object' && value !== null && 'nowMs' in value ? Number(value.nowMs) : 0;
}
