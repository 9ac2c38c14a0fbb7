/** Who may control which product, as the operator sees and ends it beside a running server. */
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { Program } from '../../support/processes';
import { expectRefusal, freshCli } from './fresh-cli';

const cli = freshCli();
const { run, json } = cli;

let server: Program;
let url = '';
beforeEach(async () => {
  const env = { RELAYGATE_DATA_DIR: cli.dataDir, RELAYGATE_LISTEN: '127.0.0.1:0', RELAYGATE_LOG_LEVEL: 'silent' };
  server = await Program.start({ name: 'server', file: 'server/bin/relaygate-server.js', args: ['start'], env });
  [, url = ''] = await server.line(/listening on (\S+)/, 10_000);
});
afterEach(async () => {
  expect(await server.stop()).toMatchObject({ code: 0 });
});

/** An application that has logged in. */
class App {
  readonly clientId: string;
  readonly #token: string;

  private constructor(clientId: string, token: string) {
    this.clientId = clientId;
    this.#token = token;
  }

  static async named(name: string): Promise<App> {
    const { clientId, clientKey } = await json('client', 'create', '--name', name);
    const headers = { 'content-type': 'application/json' };
    const body = JSON.stringify({ clientKey });
    const response = await fetch(`${url}/api/v1/auth/login`, { method: 'POST', headers, body });
    return new App(clientId, JSON.parse(await response.text()).accessToken);
  }

  /** The status of the answer. */
  async claim(productLogin: string, productKey: string): Promise<number> {
    const headers = { authorization: `Bearer ${this.#token}`, 'content-type': 'application/json' };
    const body = JSON.stringify({ productLogin, productKey });
    return (await fetch(`${url}/api/v1/products`, { method: 'POST', headers, body })).status;
  }

  /** The status of the answer. */
  async look(productLogin: string): Promise<number> {
    const headers = { authorization: `Bearer ${this.#token}` };
    return (await fetch(`${url}/api/v1/products/${productLogin}/state`, { headers })).status;
  }
}

test('are listed, shown with the product, and ended for the next request (I13)', async () => {
  const { productKey } = await json('product', 'create', '--outputs', '1', '--login', 'gate');
  await json('product', 'create', '--outputs', '1', '--login', 'door');
  const app = await App.named('Front desk');
  expect(await json('association', 'list')).toEqual([]);
  expect(await app.claim('gate', productKey)).toBe(201);
  const desk = { clientId: app.clientId, clientName: 'Front desk', clientActive: true };
  expect(await json('association', 'list')).toEqual([{ productLogin: 'gate', ...desk }]);
  expect(await json('association', 'list', '--product', 'door')).toEqual([]);
  expect(await json('association', 'list', '--client', app.clientId)).toHaveLength(1);
  expect((await run(['association', 'list', '--client', 'Front desk'])).out).toMatch(/\ngate +Front desk +\S+ +yes$/);
  expect(await json('product', 'show', 'gate')).toMatchObject({ clients: 1, associations: [desk] });
  expect((await run(['product', 'show', 'gate'])).out).toMatch(/\nFront desk +\S+ +yes$/);

  expect(await app.look('gate')).toBe(200);
  const { out } = await run(['association', 'end', 'gate', 'Front desk']);
  expect(out).toContain('it can associate again');
  expect(await app.look('gate')).toBe(403);
  expect(await json('association', 'list')).toEqual([]);
  const [ended] = (await run(['audit', 'list', '--kind', 'dissociated', '--json'])).out.split('\n');
  expect(JSON.parse(ended ?? '')).toMatchObject({ writer: 'cli', productLogin: 'gate', clientName: 'Front desk' });
});

test('what does not exist is refused by its name', async () => {
  await json('product', 'create', '--outputs', '1', '--login', 'gate');
  await json('client', 'create', '--name', 'Front desk');
  expectRefusal(await run(['association', 'list', '--product', 'door']), 1, 'product-not-found');
  expectRefusal(await run(['association', 'list', '--client', 'nobody']), 1, 'client-not-found');
  expectRefusal(await run(['association', 'end', 'door', 'Front desk']), 1, 'product-not-found');
  expectRefusal(await run(['association', 'end', 'gate', 'nobody']), 1, 'client-not-found');
  const refused = await run(['association', 'end', 'gate', 'Front desk']);
  expectRefusal(refused, 1, 'association-not-found');
  expect(refused.err).toContain('Front desk is not associated with gate');
});
