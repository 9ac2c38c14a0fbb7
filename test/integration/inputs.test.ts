import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import type { ProductState, ReportedInput } from '@relaygate/shared';
import { legacy, v1 } from '../support/server/api-client';
import { expectError } from '../support/server/expect-error';
import { type LinkedGate, linkNewGate, startLinkedGate } from '../support/server/linked-gate';
import { startTestServer } from '../support/server/test-server';
import { VirtualClock } from '../support/time/virtual-clock';

/** What applications see of a device's inputs, over real sockets. */
const GATE: ReportedInput = { numInput: 3, name: 'Gate', kind: 'contact', state: 'closed' };
const EXIT: ReportedInput = { numInput: 0, name: 'Exit', kind: 'button', state: null };

let bench: LinkedGate;
beforeAll(async () => {
  bench = await startLinkedGate();
});
afterAll(() => bench.server.stop());

const shown = async (): Promise<ProductState> => {
  const { server, gate, token } = bench;
  return (await v1(server.url).state(gate.productLogin, { token })).json as ProductState;
};

/** Resolves once a state with these inputs is shown. */
async function report(inputs: ReportedInput[] | undefined, asShown = inputs ?? []): Promise<ProductState> {
  const { server, gate, token, device } = bench;
  device.inputs = inputs;
  device.report();
  await device.roundTrip();
  const text = JSON.stringify(asShown);
  return server.untilState(
    gate,
    token,
    ({ inputs: all }) => JSON.stringify(all.map(({ observedAt: _at, ...input }) => input)) === text,
  );
}

describe('the state of a product, v1', () => {
  beforeEach(async () => {
    await report(undefined);
  });

  test('always has inputs: none for a device that reports none or was never linked', async () => {
    const { server, token } = bench;
    expect((await shown()).inputs).toEqual([]);
    const silent = await server.newProduct();
    await server.associate(token, silent);
    const { json } = await v1(server.url).state(silent.productLogin, { token });
    expect(json).toMatchObject({ connected: false, inputs: [] });
  });

  test('shows each input once, in the order of the numbers, with the time of the receipt (I11)', async () => {
    const beforeMs = Date.now();
    const { inputs, outputs } = await report(
      [GATE, { ...GATE, state: 'open' }, EXIT],
      [EXIT, { ...GATE, state: 'open' }],
    );
    const observedAt = inputs[0]?.observedAt ?? '';
    expect(new Date(observedAt).toISOString()).toBe(observedAt);
    expect(Date.parse(observedAt)).toBeGreaterThanOrEqual(beforeMs);
    expect(inputs.map((input) => input.observedAt)).toEqual([observedAt, observedAt]);
    expect(outputs[0]?.observedAt).toBe(observedAt);
    expect(inputs.map((input) => Object.keys(input))).toEqual(
      [0, 1].map(() => ['numInput', 'name', 'kind', 'state', 'observedAt']),
    );
  });

  test('passes words on that no server knows yet', async () => {
    await report([{ ...GATE, kind: 'light-curtain', state: 'half-open' }]);
  });

  test('has the new time with each report, also if nothing has changed', async () => {
    const [first] = (await report([GATE])).inputs;
    bench.server.jumpWallClock(60_000);
    bench.device.report();
    const { inputs } = await bench.server.untilState(
      bench.gate,
      bench.token,
      ({ inputs: [now] }) => now?.observedAt !== first?.observedAt,
    );
    expect(Date.parse(inputs[0]?.observedAt ?? '') - Date.parse(first?.observedAt ?? '')).toBeGreaterThanOrEqual(
      60_000,
    );
  });

  test('has no inputs any more when the device reports none', async () => {
    await report([GATE]);
    await report(undefined);
    await report([GATE, EXIT], [EXIT, GATE]);
    await report([]);
  });

  test('takes the most inputs with the longest names that a frame has room for', async () => {
    const name = '\u{1f6aa}'.repeat(40);
    await report(Array.from({ length: 64 }, (_, numInput) => ({ ...GATE, numInput, name })));
  });
});

test('the legacy state has the same bytes as ever, without inputs', async () => {
  const { server, gate, token } = bench;
  const { inputs, ...state } = await report([GATE]);
  expect(inputs).toHaveLength(1);
  const { text } = await legacy(server.url).state(gate.productLogin, { token });
  const now: ProductState = JSON.parse(text);
  expect(Object.keys(now)).toEqual(['productLogin', 'connected', 'lastSeenAt', 'outputs', 'faults']);
  expect(text).toBe(JSON.stringify({ ...state, lastSeenAt: now.lastSeenAt }));
});

test('nobody else learns of an input (I7)', async () => {
  const { server, gate } = bench;
  await report([{ ...GATE, name: 'Safe room' }]);
  const answer = await v1(server.url).state(gate.productLogin, { token: await server.newToken() });
  expectError(answer, 403, 'user-not-allowed');
  expect(answer.text).not.toContain('Safe room');
});

test('reports of inputs are not logged', async () => {
  const before = bench.server.log.lines.length;
  for (const state of ['open', 'closed', null]) await report([{ ...GATE, state }]);
  expect(bench.server.log.lines.slice(before)).toEqual([]);
});

test('an input that breaks the schema ends the link with 4400, and nothing of its report is saved', async () => {
  const { server, gate } = await startLinkedGate();
  try {
    const other = await server.newProduct();
    const device = await server.linkDevice(other);
    device.send({ type: 'report', outputs: [], inputs: [GATE, { ...EXIT, state: 0 }], faults: [] });
    expect(await device.closing()).toBe(4400);
    expect((await server.storage.findProduct(other.productLogin))?.inputs).toEqual([]);
    expect(await server.storage.findProduct(gate.productLogin)).toMatchObject({ connected: true });
  } finally {
    await server.stop();
  }
});

test('a device that is gone is shown as such, its inputs as of their last report (I11)', async () => {
  const { server, gate, token, device } = await startLinkedGate();
  try {
    device.inputs = [GATE];
    device.report();
    const { inputs } = await server.untilState(gate, token, (state) => state.inputs.length > 0);
    device.close();
    server.jumpWallClock(60_000);
    const gone = await server.untilState(gate, token, ({ connected }) => !connected);
    expect(gone.inputs).toEqual(inputs);
    expect(gone.outputs[0]?.observedAt).toBe(inputs[0]?.observedAt);
  } finally {
    await server.stop();
  }
});

test('an input that flaps is saved at the rate of its product, and its newest state counts (I15)', async () => {
  const clock = new VirtualClock();
  const server = await startTestServer({ clock, writeLimits: { reports: { burst: 3, perSecond: 1 } } });
  try {
    const { gate, token, device } = await linkNewGate(server);
    const flap = (state: string): void => {
      device.inputs = [{ ...GATE, state }];
      device.report();
    };
    const untilSaved = (state: string) => server.untilState(gate, token, ({ inputs: [now] }) => now?.state === state);
    // The first of the three came with the link.
    for (const state of ['open', 'closed']) {
      flap(state);
      await untilSaved(state);
    }
    const before = await server.storage.changeCursor();
    for (let n = 0; n < 100; n += 1) flap(n % 2 ? 'open' : 'a-state-between');
    flap('at-last');
    await device.roundTrip();
    // Writes are done in their order: a report that was given to the database is saved before this client.
    await server.newClient();
    expect(await server.storage.changeCursor()).toEqual(before);
    await clock.advance(1_000);
    await untilSaved('at-last');
    const { changes } = await server.storage.changesSince(before, 100);
    expect(changes).toMatchObject([{ kind: 'product', inputs: [{ state: 'at-last' }] }]);
  } finally {
    await server.stop();
  }
});
