/** T22: who may do what: client x product x route, in small generated worlds, both generations (I7, I13). */
import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { generatedRounds } from '../support/chance/generated-rounds';
import { expectedStatus, OPERATIONS, type Question, type World } from '../support/server/access-oracle';
import { type Answer, call, legacy, v1 } from '../support/server/api-client';
import type { ScriptedDevice } from '../support/server/scripted-device';
import { serverForAll } from '../support/server/server-for-all';
import type { TestProduct } from '../support/server/test-server';

const OUTPUTS = 4;
let asked = 0;

const server = serverForAll({ trustedProxies: 'loopback' });

const mostly = fc.constantFrom(true, true, true, false);
const worlds: fc.Arbitrary<World> = fc
  .tuple(fc.integer({ min: 1, max: 3 }), fc.integer({ min: 1, max: 2 }))
  .chain(([clients, products]) =>
    fc.record({
      clients: fc.array(mostly, { minLength: clients, maxLength: clients }),
      products: fc.array(
        fc.record({ activated: mostly, outputs: fc.array(mostly, { minLength: OUTPUTS, maxLength: OUTPUTS }) }),
        { minLength: products, maxLength: products },
      ),
      associated: fc.array(fc.array(fc.boolean(), { minLength: products, maxLength: products }), {
        minLength: clients,
        maxLength: clients,
      }),
    }),
  );
const questionsOf = ({ clients, products }: World): fc.Arbitrary<Question[]> =>
  fc.array(
    fc.record({
      client: fc.constantFrom(...clients.keys(), undefined),
      product: fc.constantFrom(...products.keys(), undefined),
      operation: fc.constantFrom(...OPERATIONS),
      numOutput: fc.constantFrom(0, 1, 2, 3, OUTPUTS, 999, 1_000),
      generation: fc.constantFrom('legacy', 'v1'),
    }),
    { minLength: 1, maxLength: 30 },
  );

interface Client {
  clientId: string;
  token: string;
}

/** The world on the server. */
interface Built {
  clients: Client[];
  products: (TestProduct & { device: ScriptedDevice })[];
}

test(
  'each answer is the one of the check order, and only the devices of allowed commands hear of them',
  async () => {
    const cases = worlds.chain((world) => fc.tuple(fc.constant(world), questionsOf(world)));
    await fc.assert(
      fc.asyncProperty(cases, async ([drawn, questions]) => {
        // Adding and deleting change it, and shrinking starts from the drawn one again.
        const world = structuredClone(drawn);
        const built = await build(world);
        const expectedCommands = built.products.map(() => 0);
        for (const question of questions) {
          const { client, product, operation } = question;
          const expected = expectedStatus(world, question);
          const answer = await ask(built, question);
          expect({ ...question, status: answer.status }).toEqual({ ...question, status: expected });
          if (client === undefined || product === undefined || expected >= 400) continue;
          const row = world.associated[client] ?? [];
          if (operation === 'add' || operation === 'delete') row[product] = operation === 'add';
          if (operation !== 'set' && operation !== 'toggle') continue;
          expectedCommands[product] = (expectedCommands[product] ?? 0) + 1;
          await expectToldToNobodyElse(world, built, client, product, answer);
        }
        expect(built.products.map(({ device }) => device.commands.length)).toEqual(expectedCommands);
        for (const { device } of built.products) device.close();
      }),
      generatedRounds(60, 500),
    );
  },
  15 * 60_000,
);

async function build(world: World): Promise<Built> {
  const products = [];
  for (const { activated, outputs } of world.products) {
    const product = await server.newProduct({ activated: false });
    if (activated) await server.storage.setProductActivated(product.productLogin, true, Date.now());
    for (const [numOutput, isActivated] of outputs.entries())
      await server.storage.setOutputActivated(product.productLogin, numOutput, isActivated, Date.now());
    products.push({ ...product, device: await server.linkDevice(product) });
  }
  const clients = [];
  for (const [index, isActive] of world.clients.entries()) {
    const client = await server.newClientWithToken();
    const { clientId } = client;
    for (const [number, product] of products.entries())
      if (world.associated[index]?.[number]) await server.storage.associate(clientId, product.productLogin, Date.now());
    if (!isActive) await server.storage.setClientActive(clientId, false, Date.now());
    clients.push(client);
  }
  return { clients, products };
}

function ask(built: Built, { client, product, operation, numOutput, generation }: Question): Promise<Answer> {
  const api = (generation === 'legacy' ? legacy : v1)(server.url);
  // The limits of failed attempts count per address and per product; here they are not what is asked about.
  asked += 1;
  const headers = { 'x-forwarded-for': `10.${(asked >> 16) & 255}.${(asked >> 8) & 255}.${asked & 255}` };
  const who = { headers, ...(client === undefined ? {} : { token: built.clients[client]?.token ?? '' }) };
  const { productLogin, productKey } = (product === undefined ? undefined : built.products[product]) ?? {
    productLogin: `nobody-${asked}`,
    productKey: 'no key',
  };
  switch (operation) {
    case 'add':
      return api.addProduct(productLogin, productKey, who);
    case 'delete':
      return api.deleteProduct(productLogin, who);
    case 'state':
      return api.state(productLogin, who);
    case 'set':
      return api.set(productLogin, numOutput, 1, who);
    case 'toggle':
      return api.toggle(productLogin, numOutput, who);
    default:
      return operation satisfies never;
  }
}

/** What became of a command is known to the client that gave it; to others there is none. */
async function expectToldToNobodyElse(
  world: World,
  { clients }: Built,
  client: number,
  product: number,
  answer: Answer,
): Promise<void> {
  const url = `${server.url}/api/v1/commands/${answer.headers.get('command-id')}`;
  for (const [other, { token }] of clients.entries()) {
    const mine = other === client && world.associated[client]?.[product];
    const expected = !world.clients[other] ? 401 : mine ? 200 : 404;
    expect((await call('GET', url, undefined, { token })).status).toBe(expected);
  }
}
