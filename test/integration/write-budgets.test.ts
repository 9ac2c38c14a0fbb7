import { beforeAll, describe, expect, test } from '@jest/globals';
import { CHECKPOINT_EVERY_MS, type ProductState } from '@relaygate/shared';
import { type Answer, call, GENERATIONS, type Generation, v1 } from '../support/server/api-client';
import { recordsIn } from '../support/server/audit-records';
import { expectError } from '../support/server/expect-error';
import { linkNewGate } from '../support/server/linked-gate';
import { newIdentity, ScriptedDevice } from '../support/server/scripted-device';
import { serverForAll } from '../support/server/server-for-all';
import { startTestServer, type TestProduct } from '../support/server/test-server';
import { VirtualClock } from '../support/time/virtual-clock';
import { eventually } from '../support/time/waiting';

/** Small, so that they are reached at once. */
const SMALL = { burst: 3, perSecond: 0.05 };

const server = serverForAll({
  // On a clock that stands still nothing is paid back, however slow the machine is.
  clock: new VirtualClock(),
  writeLimits: { associations: SMALL, logins: SMALL, links: SMALL },
});

const records = async () => (await recordsIn(server.storage)).length;

function expectToWait(answer: Answer): void {
  expectError(answer, 429, 'too-many-requests');
  expect(answer.text).toBe('{"error":"too-many-requests"}');
  const seconds = Number(answer.headers.get('retry-after'));
  expect(seconds).toBeGreaterThan(0);
  expect(seconds).toBeLessThanOrEqual(1 / SMALL.perSecond);
}

/** What `attempt` writes: nothing. */
async function writesNothing(attempt: () => Promise<Answer>): Promise<Answer> {
  const before = await records();
  const answer = await attempt();
  expect(await records()).toBe(before);
  return answer;
}

describe.each(GENERATIONS.map((make) => [make.name, make] as const))('associations of a client, %s', (_name, make) => {
  let api: Generation;
  let token: string;
  let products: TestProduct[];
  const associate = ({ productLogin, productKey }: TestProduct, as = token) =>
    api.addProduct(productLogin, productKey, { token: as });
  const dissociate = ({ productLogin }: TestProduct) => api.deleteProduct(productLogin, { token });

  beforeAll(async () => {
    api = make(server.url);
    token = await server.newToken();
    products = await Promise.all(Array.from({ length: 4 }, () => server.newProduct()));
  });

  test('beyond the budget: 429 with Retry-After, and nothing is written', async () => {
    const [first, second, third, beyond] = products as [TestProduct, TestProduct, TestProduct, TestProduct];
    for (const product of [first, second]) expect((await associate(product)).text).toBe('OK');
    expect((await dissociate(second)).status).toBeLessThan(300);
    expectToWait(await writesNothing(() => associate(third)));
    expectToWait(await writesNothing(() => associate(beyond)));
    expectToWait(await writesNothing(() => dissociate(first)));
  });

  test('what changes nothing is answered as ever, and costs nothing', async () => {
    const [first, second, third] = products as [TestProduct, TestProduct, TestProduct];
    for (let n = 0; n < 5; n += 1) expect((await writesNothing(() => associate(first))).text).toBe('OK');
    expectError(await writesNothing(() => dissociate(second)), 403, 'user-not-allowed');
    expectError(await writesNothing(() => associate({ ...third, productKey: 'wrong' })), 404, 'product-not-found');
    expectError(await writesNothing(() => dissociate({ ...third, productLogin: 'nobody' })), 404, 'product-not-found');
  });

  test('another client is not concerned, and what is associated can be used', async () => {
    const [first] = products as [TestProduct];
    expect((await associate(first, await server.newToken())).text).toBe('OK');
    expect((await api.state(first.productLogin, { token })).status).toBe(200);
    expect((await call('GET', `${server.url}/readyz`)).status).toBe(200);
  });
});

describe.each(GENERATIONS.map((make) => [make.name, make] as const))('logins of a client, %s', (_name, make) => {
  const pairOf = ({ status, json }: Answer): { accessToken: string; refreshToken: string } => {
    expect(status).toBe(200);
    return json as { accessToken: string; refreshToken: string };
  };

  test('beyond the budget: 429 with Retry-After, and nothing is written; what was logged in goes on', async () => {
    const api = make(server.url);
    const { clientKey, clientId } = await server.newClient();
    const pairs = [];
    for (let n = 0; n < SMALL.burst; n += 1) pairs.push(pairOf(await api.login(clientKey)));
    const families = server.familiesOf(clientId);
    expectToWait(await writesNothing(() => api.login(clientKey)));
    expect([families, server.familiesOf(clientId)]).toEqual([SMALL.burst, SMALL.burst]);
    for (const { refreshToken } of pairs) pairOf(await api.refresh(refreshToken, clientKey));
    expectError(await api.login('nonsense'), 401, 'client-key-not-found');
    pairOf(await api.login((await server.newClient()).clientKey));
  });
});

test('links of a product: beyond the budget 4429 and nothing is written, and another product is not concerned', async () => {
  const [gate, door] = [await server.newProduct(), await server.newProduct()];
  const identity = newIdentity(gate.productLogin, gate.enrolmentCode);
  const dial = (n: number) => new ScriptedDevice(server.url, identity, { instanceId: `i${n % 2}` });
  const token = await server.newToken();
  await server.associate(token, gate);
  // The first one enrols, and is not counted.
  for (let n = 0; n <= SMALL.burst; n += 1) {
    const device = await dial(n).linkUp();
    device.close();
    await server.untilState(gate, token, ({ connected }) => !connected);
  }
  const isConnected = async () => (await server.storage.findProduct(gate.productLogin))?.connected;
  // The state is answered from memory; the row follows.
  await eventually(async () => (await isConnected()) === false);
  const before = await records();
  for (let n = 0; n < 5; n += 1) {
    const beyond = dial(n);
    await beyond.opened();
    beyond.hello();
    expect(await beyond.closing()).toBe(4429);
  }
  expect(await records()).toBe(before);
  expect(await isConnected()).toBe(false);
  await server.linkDevice(door);
});

test('reports of a product: beyond the budget the newest is saved when the budget allows it, and the others never', async () => {
  const clock = new VirtualClock();
  const saving = await startTestServer({ clock, writeLimits: { reports: { burst: 3, perSecond: 1 } } });
  try {
    const { gate, token, device } = await linkNewGate(saving);
    /** The number that a report has in the states of its outputs. */
    const report = (n: number): void => {
      device.states.splice(0, 4, ...Array.from({ length: 4 }, (_, bit): 0 | 1 => ((n >> bit) & 1 ? 1 : 0)));
      device.report();
    };
    const numberOf = ({ outputs }: ProductState) => outputs.reduce((n, { state }, bit) => n + ((state ?? 0) << bit), 0);
    const untilSaved = (n: number) => saving.untilState(gate, token, (state) => numberOf(state) === n);
    // The first of the three came with the link.
    for (const n of [1, 2]) {
      report(n);
      await untilSaved(n);
    }
    for (let n = 3; n <= 9; n += 1) report(n);
    await device.roundTrip();
    // Writes are done in their order: a report that was given to the database is saved before this client.
    await saving.newClient();
    await untilSaved(2);
    await clock.advance(1_000);
    await untilSaved(9);
    const answer = await v1(saving.url).set(gate.productLogin, 0, 0, { token });
    expect(answer.text).toBe('OK');
  } finally {
    await saving.stop();
  }
});

test('each 429 is a warning in the log, with the client', () => {
  const lines = server.log.lines.filter(({ fields }) => fields.code === 'too-many-requests');
  expect(lines.length).toBeGreaterThan(0);
  for (const { level, fields } of lines) {
    expect(level).toBe('warn');
    expect(fields.clientId ?? fields.keyId).toBeDefined();
  }
});

test('readyz stays green with a warning while the checkpoint file cannot be written', async () => {
  const clock = new VirtualClock();
  const checkpointKeeper = { last: undefined, keep: () => Promise.reject(new Error('EIO')) };
  const warned = await startTestServer({ clock, checkpointKeeper });
  try {
    expect((await call('GET', `${warned.url}/readyz`)).json).toEqual({ status: 'ready' });
    await warned.newProduct();
    await clock.advance(CHECKPOINT_EVERY_MS);
    await eventually(() =>
      warned.log.lines.some(({ event }) => event.startsWith('audit checkpoint not written to its')),
    );
    const { status, json } = await call('GET', `${warned.url}/readyz`);
    expect({ status, json }).toEqual({ status: 200, json: { status: 'ready', warnings: ['checkpoint-not-kept'] } });
  } finally {
    await warned.stop();
  }
});

test('readyz is red with disk-low while the disk is nearly full, and the server goes on', async () => {
  const disk = { freeBytes: async () => 100, warnBelowBytes: 300, lowBelowBytes: 200 };
  const full = await startTestServer({ disk });
  try {
    const { json } = await full.untilAnswer('/readyz', 503);
    expect(json).toMatchObject({ codes: ['disk-low'], problems: ['the disk of the data folder is nearly full'] });
    await full.associate(await full.newToken(), await full.newProduct());
  } finally {
    await full.stop();
  }
});
