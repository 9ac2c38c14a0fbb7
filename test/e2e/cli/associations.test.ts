/** Who may control which product, as the operator sees and ends it beside a running server. */
import { readdirSync, readFileSync } from 'node:fs';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import type { Program } from '../../support/processes/program';
import { expectRefusal, freshCli, startedServer } from './fresh-cli';

const PRODUCT_KEY = /P[0-9A-Z]{3}(-[0-9A-Z]{4}){6}/;

const cli = freshCli();
const { run, json } = cli;

let server: Program;
let url = '';
beforeEach(async () => {
  server = await startedServer(cli.dataDir);
  [, url = ''] = await server.line(/listening on (\S+)/);
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
  expect(out).toContain("it can associate again: 'product rotate-key gate'");
  expect(await app.look('gate')).toBe(403);
  expect(await json('association', 'list')).toEqual([]);
  const [ended] = (await run(['audit', 'list', '--kind', 'dissociated', '--json'])).out.split('\n');
  expect(JSON.parse(ended ?? '')).toMatchObject({
    ...{ writer: 'cli', productLogin: 'gate', clientName: 'Front desk' },
    actor: `cli as ${userInfo().username}`,
  });
});

test('a new product key ends the old one for the next claim, and no association', async () => {
  const { productKey: oldKey } = await json('product', 'create', '--outputs', '1', '--login', 'gate');
  const before = await App.named('Front desk');
  const after = await App.named('Gate app');
  expect(await before.claim('gate', oldKey)).toBe(201);
  const rotated = await json('product', 'rotate-key', 'gate');
  expect(rotated).toEqual({ productLogin: 'gate', productKey: expect.stringMatching(PRODUCT_KEY) });
  expect(rotated.productKey).not.toBe(oldKey);
  expect(await before.look('gate')).toBe(200);
  expect(await after.claim('gate', oldKey)).toBe(404);
  expect(await after.claim('gate', rotated.productKey)).toBe(201);

  const plain = await run(['product', 'rotate-key', 'gate']);
  expect(plain.out).toMatch(PRODUCT_KEY);
  expect(plain.out).toContain('shown once');
  expect(await after.claim('gate', rotated.productKey)).toBe(404);
  const records = await run(['audit', 'list', '--kind', 'product-key-rotated', '--product', 'gate', '--json']);
  expect(records.out.split('\n')).toHaveLength(2);
});

test('a product key is nowhere on the disk', async () => {
  const { productKey } = await json('product', 'create', '--outputs', '1', '--login', 'gate');
  const rotated = await json('product', 'rotate-key', 'gate');
  for (const key of [productKey, rotated.productKey]) {
    for (const name of readdirSync(cli.dataDir)) {
      const content = readFileSync(join(cli.dataDir, name), 'latin1').toUpperCase();
      expect(content).not.toContain(key);
      expect(content).not.toContain(key.replaceAll('-', ''));
    }
  }
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
