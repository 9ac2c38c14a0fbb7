/** What a client may list of its own (I7): its products, and the commands that it gave. */
import { beforeAll, describe, expect, test } from '@jest/globals';
import { type CommandStatus, LIST_LIMITS, type ListedProduct, MAX_READS_PER_PAGE } from '@relaygate/shared';
import { type Answer, call, v1 } from '../support/server/api-client';
import { expectError } from '../support/server/expect-error';
import type { ScriptedDevice } from '../support/server/scripted-device';
import { serverForAll } from '../support/server/server-for-all';
import { startTestServer, type TestProduct } from '../support/server/test-server';
import { VirtualClock } from '../support/time/virtual-clock';

// Each test reads more than a client may in its second.
const server = serverForAll();
let token: string;
let other: string;
let gates: TestProduct[];
let gate: TestProduct;
let door: TestProduct;
let device: ScriptedDevice;
beforeAll(async () => {
  [token, other] = [await server.newToken(), await server.newToken()];
  gates = [];
  for (const n of [3, 1, 4, 2]) gates.push(await server.newProduct({ productLogin: `p${n}`, activated: n !== 4 }));
  [gate, door] = [1, 2].map((n) => gates.find(({ productLogin }) => productLogin === `p${n}`)) as [
    TestProduct,
    TestProduct,
  ];
  for (const product of gates) await server.associate(token, product);
  for (const product of [gate, await server.newProduct({ productLogin: 'p0' })]) await server.associate(other, product);
  device = await server.linkDevice(gate);
});

const list = (path: string, as = token): Promise<Answer> =>
  call('GET', `${server.url}/api/v1/${path}`, undefined, { token: as });
const productsIn = ({ json }: Answer) => (json as { products: ListedProduct[] }).products;
const commandsIn = ({ json }: Answer) => (json as { commands: CommandStatus[] }).commands;
const loginsIn = (answer: Answer) => productsIn(answer).map(({ productLogin }) => productLogin);
const nextIn = ({ json }: Answer) => (json as { next?: string }).next;

/** The pages of a list, by their Links alone. */
async function pages(path: string): Promise<Answer[]> {
  const found = [await list(path)];
  for (let last = found[0]; last?.headers.has('link'); last = found.at(-1)) {
    const [, link = ''] = /^<(\/api\/v1\/\S+)>; rel="next"$/.exec(last.headers.get('link') ?? '') ?? [];
    expect(new URLSearchParams(link.split('?')[1]).get('cursor')).toBe(nextIn(last));
    found.push(await list(link.replace('/api/v1/', '')));
  }
  expect(nextIn(found.at(-1) as Answer)).toBeUndefined();
  return found;
}

describe('products', () => {
  test("are the client's own, in the order of their logins, with the presence that their states have", async () => {
    const answer = await list('products');
    expect(answer.status).toBe(200);
    expect(loginsIn(answer)).toEqual(['p1', 'p2', 'p3', 'p4']);
    expect(loginsIn(await list('products', other))).toEqual(['p0', 'p1']);
    expect(loginsIn(await list('products', await server.newToken()))).toEqual([]);
    for (const { productLogin, connected, lastSeenAt } of productsIn(answer)) {
      const state = (await v1(server.url).state(productLogin, { token })).json as ListedProduct;
      expect(connected).toBe(state.connected);
      expect(lastSeenAt === null).toBe(state.lastSeenAt === null);
    }
    expect(productsIn(answer)[3]).toEqual({
      productLogin: 'p4',
      connected: false,
      lastSeenAt: null,
      activated: false,
      outputCount: 4,
      faulty: false,
    });
  });

  test.each([
    ['connected=true', ['p1']],
    ['connected=false', ['p2', 'p3', 'p4']],
    ['activated=false', ['p4']],
    ['connected=false&activated=true', ['p2', 'p3']],
    ['connected=true&activated=false', []],
  ])('with %s', async (query, logins) => {
    expect(loginsIn(await list(`products?${query}`))).toEqual(logins);
  });

  test('come in pages, which a product that comes or goes does not move', async () => {
    expect((await pages('products?limit=3')).map(loginsIn)).toEqual([['p1', 'p2', 'p3'], ['p4']]);
    expect((await pages('products?limit=2')).map(loginsIn)).toEqual([
      ['p1', 'p2'],
      ['p3', 'p4'],
    ]);
    expect((await pages('products?connected=false&limit=1')).map(loginsIn)).toEqual([['p2'], ['p3'], ['p4']]);
    const first = await list('products?limit=2');
    const added = await server.newProduct({ productLogin: 'p11' });
    await server.associate(token, added);
    await v1(server.url).deleteProduct('p2', { token });
    expect(loginsIn(await list(`products?limit=2&cursor=${nextIn(first)}`))).toEqual(['p3', 'p4']);
    await v1(server.url).deleteProduct('p11', { token });
    await server.associate(token, door);
  });
});

describe('commands', () => {
  const given: string[] = [];
  const idsIn = (answer: Answer) => commandsIn(answer).map(({ commandId }) => commandId);
  const give = async (product: TestProduct, as = token): Promise<string> => {
    const answer = await v1(server.url).toggle(product.productLogin, 0, { token: as });
    const commandId = answer.headers.get('command-id') ?? '';
    await server.untilWritten(commandId);
    return commandId;
  };
  beforeAll(async () => {
    await server.untilOfflineCounts();
    for (const product of [gate, door, gate, door, gate]) given.unshift(await give(product));
    await give(gate, other);
  });

  test('are those that the client gave, newest first, each as it is shown by its id', async () => {
    const answer = await list('commands');
    expect(idsIn(answer)).toEqual(given);
    for (const command of commandsIn(answer))
      expect((await list(`commands/${command.commandId}`)).json).toEqual(command);
    expect(new Set(commandsIn(answer).map(({ outcome }) => outcome))).toEqual(new Set(['executed', 'expired']));
    expect(idsIn(await list('products/p1/commands'))).toEqual([given[0], given[2], given[4]]);
    expect(idsIn(await list('products/p3/commands'))).toEqual([]);
    expect(idsIn(await list('commands', other))).toHaveLength(1);
  });

  test('come in pages, of all products and of one', async () => {
    expect((await pages('commands?limit=2')).map(idsIn)).toEqual([
      given.slice(0, 2),
      given.slice(2, 4),
      given.slice(4),
    ]);
    expect((await pages('products/p2/commands?limit=1')).map(idsIn)).toEqual([[given[1]], [given[3]]]);
  });

  test('begin at the time that is asked for', async () => {
    const all = commandsIn(await list('commands'));
    const since = all[2]?.acceptedAt ?? '';
    const expected = all.filter(({ acceptedAt }) => acceptedAt >= since).map(({ commandId }) => commandId);
    expect((await pages(`commands?limit=2&since=${since}`)).flatMap(idsIn)).toEqual(expected);
    expect(idsIn(await list('commands?since=2999-01-01T00:00Z'))).toEqual([]);
  });

  test('with the outcome that is not in the database yet', async () => {
    await server.whileStorageFails(async () => {
      const answer = await v1(server.url).toggle('p1', 0, { token });
      const commandId = answer.headers.get('command-id') ?? '';
      for (const path of ['commands', 'products/p1/commands'])
        expect(commandsIn(await list(path))[0]).toMatchObject({ commandId, outcome: 'executed' });
    }, 'recordOutcome');
  });

  test('of a product that the client is not associated with any more are not shown (I7)', async () => {
    await v1(server.url).deleteProduct('p2', { token });
    expect(commandsIn(await list('commands')).map(({ productLogin }) => productLogin)).not.toContain('p2');
    expectError(await list('products/p2/commands'), 403, 'user-not-allowed');
    expectError(await list('products/nobody/commands'), 404, 'product-not-found');
    await server.associate(token, door);
    expect(idsIn(await list('commands'))).toEqual(expect.arrayContaining(given));
  });
});

describe('a query', () => {
  const LISTS = ['products', 'commands', 'products/p1/commands'];
  const WRONG = [
    'limit=0',
    'limit=101',
    'limit=01',
    'limit=',
    'limit=1.0',
    'limit=1&limit=1',
    'unknown=1',
    '=1',
    '__proto__=1',
  ];

  test.each(
    LISTS.flatMap((path) =>
      [...WRONG, 'cursor=', 'cursor=x', `cursor=${'x'.repeat(300)}`].map((query) => [path, query]),
    ),
  )('%s?%s: 422', async (path, query) => expectError(await list(`${path}?${query}`), 422, 'invalid-params'));

  test.each(['connected=1', 'connected=TRUE', 'activated=', 'since=2026-01-01T00:00:00Z'])(
    'products?%s: 422',
    async (query) => expectError(await list(`products?${query}`), 422, 'invalid-params'),
  );

  test.each([
    '2026-01-01',
    '2026-01-01T00:00:00',
    '2026-02-30T00:00:00Z',
    '2026-01-01T24:00Z',
    '2026-01-01T00:00:00%2B01:00',
    '0',
    '24h',
  ])('commands?since=%s: 422', async (since) =>
    expectError(await list(`commands?since=${since}`), 422, 'invalid-params'),
  );

  test('without anything in it is none', async () => {
    for (const query of ['?', '?&']) expect((await list(`products${query}`)).status).toBe(200);
  });

  test('may have a cursor of this list alone, as this client was given it', async () => {
    const cursor = nextIn(await list('products?limit=1')) ?? '';
    const ofCommands = nextIn(await list('products/p1/commands?limit=1')) ?? '';
    expect((await list(`products?cursor=${cursor}`)).status).toBe(200);
    const changed = `${cursor.slice(0, -1)}${cursor.endsWith('A') ? 'Q' : 'A'}`;
    for (const path of [
      `products?cursor=${changed}`,
      `products?cursor=${cursor}%3D`,
      `products?cursor=${ofCommands}`,
      `commands?cursor=${ofCommands}`,
      `products/p2/commands?cursor=${ofCommands}`,
    ])
      expectError(await list(path), 422, 'invalid-params');
    expectError(await list(`products?cursor=${cursor}`, other), 422, 'invalid-params');
  });

  test('is read by no other operation', async () => {
    expect((await list('products/p1/state?limit=x&limit=y')).status).toBe(200);
    expect(device.commands.length).toBeGreaterThan(0);
  });

  test('comes after the token, and before the product', async () => {
    expectError(await list('products?limit=0', 'nonsense'), 401, 'bad-token');
    expectError(await list('products/nobody/commands?limit=0'), 422, 'invalid-params');
    expectError(await list('products/nobody/commands?cursor=x'), 422, 'invalid-params');
  });
});

test('a client that reads too many pages waits, and no other one', async () => {
  // On a clock that stands still nothing is paid back.
  const busy = await startTestServer({ clock: new VirtualClock() });
  try {
    const [mine, another] = [await busy.newToken(), await busy.newToken()];
    const ask = (as: string) => call('GET', `${busy.url}/api/v1/commands`, undefined, { token: as });
    for (let n = 0; n < LIST_LIMITS.burst; n += 1) expect((await ask(mine)).status).toBe(200);
    const answer = await ask(mine);
    expectError(answer, 429, 'too-many-requests');
    expect(answer.headers.get('retry-after')).toBe('1');
    expect(answer.headers.get('ratelimit')).toBe('"lists";r=0;t=1');
    expect((await ask(another)).status).toBe(200);
    expect(MAX_READS_PER_PAGE).toBeLessThan(LIST_LIMITS.burst);
  } finally {
    await busy.stop();
  }
});
