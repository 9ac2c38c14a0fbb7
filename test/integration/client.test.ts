/** The client of applications against a real server, over connections that are cut. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { RelaygateClient } from '@relaygate/client';
import type { KeyHolder } from '@relaygate/server/clients/client-store';
import { SeededChance } from '../support/chance/seeded-chance';
import { AnswerCutter } from '../support/client/answer-cutter';
import { Program } from '../support/processes/program';
import type { ScriptedDevice } from '../support/server/scripted-device';
import { startTestServer, type TestProduct, type TestServer } from '../support/server/test-server';

/** Toggles at once, each of a gate of its own. */
const GATES = 16;
/** Commands, however many are played, and however fast. */
const ENOUGH = '999999';
const MAX_CUT_BYTES = 500;

let server: TestServer;
let link: AnswerCutter;
let holder: KeyHolder & { clientKey: string };
let gates: { product: TestProduct; device: ScriptedDevice }[];
beforeAll(async () => {
  server = await startTestServer({ settings: { productCommandsPerMinute: ENOUGH, clientCommandsPerMinute: ENOUGH } });
  link = await AnswerCutter.start(server.url);
  holder = await server.newClient();
  gates = await Promise.all(
    Array.from({ length: GATES }, async () => {
      const product = await server.newProduct();
      await server.associate(server.tokenOf(holder), product);
      return { product, device: await server.linkDevice(product) };
    }),
  );
});
afterAll(async () => {
  await link.stop();
  await server.stop();
});

const newClient = (retryForMs?: number) =>
  new RelaygateClient({ baseUrl: `${link.url}/api`, clientKey: holder.clientKey, retryForMs });
const pathOf = ({ productLogin }: TestProduct): string => `POST /api/v1/products/${productLogin}/outputs/0/toggle`;
const passAll = () => Number.POSITIVE_INFINITY;

/** How often the relays of the gates were told to move. */
const moves = (): number => gates.reduce((sum, { device }) => sum + device.commands.length, 0);

/** Plays the rounds with each gate at once, none of it twice at a time. */
async function atEachGate(rounds: number, play: (gate: TestProduct, round: number) => Promise<void>): Promise<void> {
  let next = 0;
  await Promise.all(
    gates.map(async ({ product }) => {
      for (let round = next++; round < rounds; round = next++) await play(product, round);
    }),
  );
}

describe('a toggle whose answer is cut', () => {
  test('after any number of its bytes moves the relay once, and is told so', async () => {
    const client = newClient();
    const whole = await client
      .product(gates[0]?.product.productLogin ?? '')
      .output(0)
      .toggle();
    expect(whole).toMatchObject({ outcome: 'done', replayed: false });
    const bytes = link.passedBytes;
    expect(bytes).toBeGreaterThan(200);
    const before = moves();
    const cutAt = new Map<string, number>();
    link.cutAfter = (request) => {
      const at = cutAt.get(request) ?? Number.POSITIVE_INFINITY;
      cutAt.delete(request);
      return at;
    };
    const notReplayed: number[] = [];
    await atEachGate(bytes, async (gate, at) => {
      cutAt.set(pathOf(gate), at);
      const result = await client.product(gate.productLogin).output(0).toggle();
      expect(result.outcome).toBe('done');
      if (!result.replayed) notReplayed.push(at);
    });
    link.cutAfter = passAll;
    expect(notReplayed).toEqual([]);
    expect(moves() - before).toBe(bytes);
  });

  test('by chance, half of the time: each toggle succeeds and moves the relay once', async () => {
    const toggles = process.env.RELAYGATE_FULL ? 1_000 : 200;
    const chance = new SeededChance();
    await chance.replayable(async () => {
      link.cutAfter = () => (chance.fraction() < 0.5 ? chance.between(0, MAX_CUT_BYTES) : Number.POSITIVE_INFINITY);
      const [before, cutsBefore] = [moves(), link.cuts];
      // Of this many some have bad luck ten times.
      const client = newClient(60_000);
      await atEachGate(toggles, async (gate) => {
        expect(await client.product(gate.productLogin).output(0).toggle()).toMatchObject({ outcome: 'done' });
      });
      link.cutAfter = passAll;
      expect(moves() - before).toBe(toggles);
      expect(link.cuts - cutsBefore).toBeGreaterThan(toggles / 2);
    });
  });
});

describe('tokens', () => {
  const states = (client: RelaygateClient) =>
    Promise.all(gates.map(({ product }) => client.product(product.productLogin).state()));

  test('are renewed once for all calls when they have expired, and stay one family', async () => {
    const client = newClient();
    await states(client);
    const before = server.familiesOf(holder.clientId);
    server.jumpWallClock(601_000);
    expect((await states(client)).map(({ connected }) => connected)).toEqual(gates.map(() => true));
    expect(server.familiesOf(holder.clientId)).toBe(before);
  });

  test.each([0, 1, 100, 400])(
    'whose answer is cut after %i bytes are asked for again with the same one',
    async (at) => {
      const client = newClient();
      await states(client);
      const before = server.familiesOf(holder.clientId);
      server.jumpWallClock(601_000);
      let isCut = false;
      link.cutAfter = (request) => {
        if (isCut || !request.endsWith('/refresh')) return Number.POSITIVE_INFINITY;
        isCut = true;
        return at;
      };
      await states(client);
      link.cutAfter = passAll;
      expect(isCut).toBe(true);
      expect(server.familiesOf(holder.clientId)).toBe(before);
    },
  );
});

test('its example sets an output, and says what became of it', async () => {
  const productLogin = gates[0]?.product.productLogin ?? '';
  const env = { RELAYGATE_URL: `${link.url}/api`, CLIENT_KEY: holder.clientKey };
  const lines: string[] = [];
  for (const numOutput of ['1', '1', '9']) {
    const args = [productLogin, numOutput];
    const onLine = (line: string): void => void lines.push(line);
    const program = await Program.start({ name: 'example', file: 'server/client/example.mjs', args, env, onLine });
    lines.push(`exit code ${(await program.ended).code}`);
  }
  expect(lines.map((line) => line.replace(/command [0-9a-f-]+|at 20.*/, '*'))).toEqual([
    'done (*)',
    expect.stringMatching(/ was reported as 1 \*$/),
    'exit code 0',
    'already-set (*)',
    expect.stringMatching(/ was reported as 1 \*$/),
    'exit code 0',
    'Failed: invalid-params (HTTP status 422)',
    'Certainly nothing has moved.',
    'exit code 1',
  ]);
});
