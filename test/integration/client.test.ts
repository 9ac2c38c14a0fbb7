/** The client of applications against a real server, over connections that are cut; lossy-link.test.ts has the long one. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { RelaygateClient } from '@relaygate/client';
import { GatesBehindCutter } from '../support/client/gates-behind-cutter';
import { Program } from '../support/processes/program';

let site: GatesBehindCutter;
beforeAll(async () => {
  site = await GatesBehindCutter.start(16);
});
afterAll(() => site.stop());

const UNCUT = Number.POSITIVE_INFINITY;
const login = (): string => site.gates[0]?.product.productLogin ?? '';

test('a toggle whose answer is cut after any number of its bytes moves the relay once, and is told so', async () => {
  const { link } = site;
  const client = site.newClient();
  expect(await client.product(login()).output(0).toggle()).toMatchObject({ outcome: 'done', replayed: false });
  const bytes = link.passedBytes;
  expect(bytes).toBeGreaterThan(200);
  const before = site.moves;
  const cutAt = new Map<string, number>();
  link.cutAfter = (request) => {
    const at = cutAt.get(request) ?? UNCUT;
    cutAt.delete(request);
    return at;
  };
  const notReplayed: number[] = [];
  await site.atEachGate(bytes, async (productLogin, at) => {
    cutAt.set(`POST /api/v1/products/${productLogin}/outputs/0/toggle`, at);
    const { outcome, replayed } = await client.product(productLogin).output(0).toggle();
    expect(outcome).toBe('done');
    if (!replayed) notReplayed.push(at);
  });
  expect(notReplayed).toEqual([]);
  expect(site.moves - before).toBe(bytes);
});

test('without a retry it says that it may have moved', async () => {
  const client = site.newClient(0);
  await client.product(login()).state();
  site.link.cutAfter = () => 100;
  const before = site.moves;
  const error = client.product(login()).output(0).toggle();
  await expect(error).rejects.toMatchObject({ code: 'network', mayHaveMoved: true });
  site.link.cutAfter = () => UNCUT;
  expect(site.moves - before).toBe(1);
});

test('what moved for a key, moves no more for it, and the command says what became of it', async () => {
  const client = site.newClient();
  const output = client.product(login()).output(0);
  const before = site.moves;
  const first = await output.toggle({ idempotencyKey: 'my own' });
  expect(await output.toggle({ idempotencyKey: 'my own' })).toEqual({ ...first, replayed: true });
  expect(site.moves - before).toBe(1);
  expect(await client.command(first.commandId ?? '')).toMatchObject({ action: 'toggle', outcome: 'executed' });
  await expect(output.set(1, { idempotencyKey: 'my own' })).rejects.toMatchObject({
    code: 'idempotency-key-reused',
    status: 422,
    mayHaveMoved: false,
  });
});

test('a redirect is not followed: a command could become another request', async () => {
  const redirecting = createServer((_request, response) => {
    response.writeHead(307, { location: `${site.server.url}/api/v1/auth/login` }).end();
  });
  redirecting.listen(0, '127.0.0.1');
  await once(redirecting, 'listening');
  const { port } = redirecting.address() as AddressInfo;
  const client = new RelaygateClient({ baseUrl: `http://127.0.0.1:${port}/api`, clientKey: site.holder.clientKey });
  const error = client.product(login()).output(0).toggle();
  const refused = expect(error).rejects.toMatchObject({ code: 'unexpected-answer', status: 307, mayHaveMoved: false });
  await refused.finally(() => redirecting.close().closeAllConnections());
});

test('products come and go', async () => {
  const { productLogin, productKey } = await site.server.newProduct();
  const client = site.newClient();
  await expect(client.product(productLogin).state()).rejects.toMatchObject({ code: 'user-not-allowed' });
  await client.addProduct(productLogin, productKey);
  expect(await client.product(productLogin).state()).toMatchObject({ productLogin, connected: false });
  await client.deleteProduct(productLogin);
  await expect(client.deleteProduct(productLogin)).rejects.toMatchObject({ code: 'user-not-allowed' });
});

test('lists are read page by page', async () => {
  const client = site.newClient();
  const all = site.gates.map(({ product }) => product.productLogin);
  const listed: string[] = [];
  for (let cursor: string | undefined, isLast = false; !isLast; isLast = cursor === undefined) {
    const { products, next } = await client.products({ connected: true, limit: 5, cursor });
    listed.push(...products.map(({ productLogin }) => productLogin));
    cursor = next;
  }
  expect(listed).toEqual([...all].sort());
  const { commandId } = await client.product(login()).output(3).toggle();
  const { commands, next } = await client.product(login()).commands({ limit: 1 });
  expect(commands.map((command) => command.commandId)).toEqual([commandId]);
  expect(next).toBeDefined();
  expect((await client.commands({ limit: 1, since: commands[0]?.acceptedAt })).commands).toEqual(commands);
});

describe('tokens', () => {
  const states = (client: RelaygateClient) =>
    Promise.all(site.gates.map(({ product }) => client.product(product.productLogin).state()));
  const families = (): number => site.server.familiesOf(site.holder.clientId);

  test('are renewed once for all calls when they have expired, and stay one family', async () => {
    const client = site.newClient();
    await states(client);
    const before = families();
    site.server.jumpWallClock(601_000);
    expect((await states(client)).map(({ connected }) => connected)).toEqual(site.gates.map(() => true));
    expect(families()).toBe(before);
  });

  test.each([0, 1, 100, 400])(
    'whose answer is cut after %i bytes are asked for again with the same one',
    async (at) => {
      const client = site.newClient();
      await states(client);
      const before = families();
      site.server.jumpWallClock(601_000);
      let isCut = false;
      site.link.cutAfter = (request) => {
        if (isCut || !request.endsWith('/refresh')) return UNCUT;
        isCut = true;
        return at;
      };
      await states(client);
      site.link.cutAfter = () => UNCUT;
      expect(isCut).toBe(true);
      expect(families()).toBe(before);
    },
  );
});

test('its example sets an output, and says what became of it', async () => {
  const env = { RELAYGATE_URL: site.baseUrl, CLIENT_KEY: site.holder.clientKey };
  const lines: string[] = [];
  const onLine = (line: string): void => void lines.push(line.replace(/command [0-9a-f-]+|at 20.*/, '*'));
  for (const numOutput of ['1', '1', '9']) {
    const args = [login(), numOutput];
    const program = await Program.start({ name: 'example', file: 'server/client/example.mjs', args, env, onLine });
    lines.push(`exit code ${(await program.ended).code}`);
  }
  const reported = expect.stringMatching(/ was reported as [01] \*$/);
  expect(lines).toEqual([
    ...['done (*)', reported, 'exit code 0'],
    ...['already-set (*)', reported, 'exit code 0'],
    ...['Failed: invalid-params (HTTP status 422)', 'Certainly nothing has moved.', 'exit code 1'],
  ]);
});
