/** The applications' client in a page of another origin, as it is shipped: an answer that is lost there switches nothing twice. */
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Page } from 'playwright-core';
import { Visitors } from '../support/browser/browser';
import { missingBrowser } from '../support/browser/missing-browser';
import { describeWhere } from '../support/processes/needs';
import type { ScriptedDevice } from '../support/server/scripted-device';
import { startTestServer, type TestServer } from '../support/server/test-server';

const CLIENT = readFileSync(require.resolve('@relaygate/client').replace(/index\.js$/, 'index.mjs'));

let pages: Server;
let origin: string;
let server: TestServer;
let device: ScriptedDevice;
let productLogin: string;
let token: string;
let visitors: Visitors;

/** An application's page: nothing but the client. */
async function servePages(): Promise<void> {
  pages = createServer(({ url }, response) => {
    const isClient = url === '/client.mjs';
    response.setHeader('Content-Type', isClient ? 'text/javascript' : 'text/html');
    response.end(isClient ? CLIENT : '<!doctype html><title>An application</title>');
  });
  await once(pages.listen(0, '127.0.0.1'), 'listening');
  origin = `http://127.0.0.1:${(pages.address() as AddressInfo).port}`;
}

/** What `expression` of a client gives in the page, or the code of its error. */
function inPage(page: Page, expression: string, options = `getAccessToken: () => '${token}'`): Promise<unknown> {
  return page.evaluate(`import('/client.mjs').then(async ({ RelaygateClient }) => {
    try {
      const client = new RelaygateClient({ baseUrl: '${server.url}/api', ${options} });
      return await (${expression});
    } catch (error) {
      return { code: error.code, message: error.message, mayHaveMoved: error.mayHaveMoved };
    }
  })`);
}

describeWhere(missingBrowser())('the client in a page', () => {
  beforeAll(async () => {
    await servePages();
    server = await startTestServer({ settings: { corsOrigins: origin } });
    const gate = await server.newProduct();
    ({ productLogin } = gate);
    token = await server.newToken();
    await server.associate(token, gate);
    device = await server.linkDevice(gate);
    visitors = await Visitors.arrive();
  });
  afterAll(async () => {
    await visitors?.leave();
    await server?.stop();
    pages?.close();
  });

  test('switches an output, reads it, and lists what it did', async () => {
    const page = await visitors.visit({ origin });
    const output = `client.product('${productLogin}').output(0)`;
    expect(await inPage(page, `${output}.set(1)`)).toMatchObject({ outcome: 'done', replayed: false });
    expect(await inPage(page, `${output}.state()`)).toMatchObject({ state: 1 });
    expect(await inPage(page, 'client.commands()')).toMatchObject({
      commands: [{ productLogin, outcome: 'executed' }],
    });
  });

  test('asks again under the same key where the answer was lost, and the relay moves once', async () => {
    const page = await visitors.visit({ origin });
    const before = device.commands.length;
    const keys: unknown[] = [];
    await page.route('**/toggle', async (route) => {
      keys.push(route.request().headers()['idempotency-key']);
      if (keys.length > 1) return route.continue();
      await route.fetch();
      return route.abort('connectionreset');
    });
    const toggled = await inPage(page, `client.product('${productLogin}').output(0).toggle()`);
    expect(toggled).toMatchObject({ outcome: 'done', replayed: true });
    expect(keys).toEqual([expect.any(String), keys[0]]);
    expect(device.commands.length - before).toBe(1);
  });

  test('takes no client key there, where everybody could read it', async () => {
    const page = await visitors.visit({ origin });
    const refused = await inPage(page, 'client.products()', "clientKey: 'rgc_x'");
    expect(refused).toMatchObject({ message: expect.stringContaining('getAccessToken') });
  });

  test('hears nothing from a server that does not list its origin', async () => {
    const page = await visitors.visit({ origin: origin.replace('127.0.0.1', 'localhost') });
    const refused = await inPage(page, 'client.products({ retryForMs: 0 })');
    expect(refused).toMatchObject({ code: 'network' });
  });
});
