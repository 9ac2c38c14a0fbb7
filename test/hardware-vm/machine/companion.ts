/** The built server on this machine, with one client and one product, and what an application asks of it. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ProductState, TokenPair } from '@relaygate/shared';
import { monotonicNowMs } from '@relaygate/shared/system';
import { Program, runToEnd } from '../../support/processes/program';
import { type Answer, call, v1 } from '../../support/server/api-client';
import { eventually } from '../../support/time/waiting';
import { TlsFront } from './tls-front';

const FILE = 'server/bin/relaygate-server.js';
const SERVER_NAME = 'relaygate';
const START_MS = 30_000;
/** Access tokens live for 10 minutes. */
const LOGIN_AGAIN_MS = 5 * 60_000;
/** How the emulated machine calls this one. */
const HOST_ADDRESS = '10.0.2.2';

export class Companion {
  readonly #dataDir = mkdtempSync(join(tmpdir(), 'rg-s-'));
  #server: Program | undefined;
  #front: TlsFront | undefined;
  #url = '';
  #clientKey = '';
  #token = '';
  #loggedInMs = Number.NEGATIVE_INFINITY;
  productLogin = '';
  enrolmentCode = '';

  /** `certificateAgeDays`: see TlsFront. */
  static async start(outputs: number, certificateAgeDays = 0): Promise<Companion> {
    const companion = new Companion();
    try {
      await companion.#start(outputs, certificateAgeDays);
      return companion;
    } catch (error) {
      await companion.stop();
      throw error;
    }
  }

  /** For the device's settings. */
  get link(): { serverUrl: string; serverName: string; productLogin: string } {
    const serverUrl = `wss://${HOST_ADDRESS}:${this.#front?.port}`;
    return { serverUrl, serverName: SERVER_NAME, productLogin: this.productLogin };
  }

  get certificate(): string {
    return this.#front?.certificate ?? '';
  }

  async set(numOutput: number, state: 0 | 1): Promise<Answer> {
    return v1(this.#url).set(this.productLogin, numOutput, state, await this.#login());
  }

  async toggle(numOutput: number): Promise<Answer> {
    return v1(this.#url).toggle(this.productLogin, numOutput, await this.#login());
  }

  /** What became of a command that was answered so: outcome and reason. */
  async outcomeOf({ headers }: Answer): Promise<unknown> {
    const commandId = headers.get('command-id');
    return (await call('GET', `${this.#url}/api/v1/commands/${commandId}`, undefined, await this.#login())).json;
  }

  async state(): Promise<ProductState> {
    return (await v1(this.#url).state(this.productLogin, await this.#login())).json as ProductState;
  }

  /** The device loses its server, until `healLink`. */
  cutLink(): void {
    this.#front?.cut();
  }

  healLink(): void {
    this.#front?.heal();
  }

  untilConnected(patienceMs: number): Promise<void> {
    return eventually(async () => (await this.state()).connected, patienceMs);
  }

  async stop(): Promise<void> {
    await this.#front?.stop();
    await this.#server?.stop();
    rmSync(this.#dataDir, { recursive: true, force: true });
  }

  async #start(outputs: number, certificateAgeDays: number): Promise<void> {
    const env = { ...this.#env(), RELAYGATE_LISTEN: '127.0.0.1:0' };
    this.#server = await Program.start({ name: 'server', file: FILE, args: ['start'], env });
    const [, port] = await this.#server.line(/listening on http:\/\/127\.0\.0\.1:(\d+)/, START_MS);
    this.#url = `http://127.0.0.1:${port}`;
    this.#front = await TlsFront.start(HOST_ADDRESS, Number(port), certificateAgeDays);
    const { clientKey } = await this.#operator<{ clientKey: string }>('client', 'create', '--name', 'hardware');
    this.#clientKey = clientKey;
    const product = await this.#operator<{ productLogin: string; productKey: string; enrolmentCode: string }>(
      ...['product', 'create', '--outputs', String(outputs), '--activate-all'],
    );
    this.productLogin = product.productLogin;
    this.enrolmentCode = product.enrolmentCode;
    const added = await v1(this.#url).addProduct(product.productLogin, product.productKey, await this.#login());
    if (added.status !== 201) throw new Error(`not associated: ${added.status}`);
  }

  async #login(): Promise<{ token: string }> {
    if (monotonicNowMs() - this.#loggedInMs > LOGIN_AGAIN_MS) {
      const { json } = await call('POST', `${this.#url}/api/v1/auth/login`, { clientKey: this.#clientKey });
      this.#token = (json as TokenPair).accessToken;
      this.#loggedInMs = monotonicNowMs();
    }
    return { token: this.#token };
  }

  async #operator<T>(...args: string[]): Promise<T> {
    return JSON.parse(
      await runToEnd({ name: args.join(' '), file: FILE, args: [...args, '--json'], env: this.#env() }),
    );
  }

  #env(): Record<string, string> {
    return { RELAYGATE_DATA_DIR: this.#dataDir, RELAYGATE_SERVER_NAME: SERVER_NAME };
  }
}
