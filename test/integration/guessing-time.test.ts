/** T24: how long a refusal takes does not say whether the client or the product is known (I7). */
import { expect, test } from '@jest/globals';
import { newClientKey } from '@relaygate/server/clients/client-key';
import { monotonicNowMs, systemRandomness } from '@relaygate/shared/system';
import { quantile } from '../bench/distribution';
import { type Answer, call } from '../support/server/api-client';
import { serverForAll } from '../support/server/server-for-all';
import type { TestProduct } from '../support/server/test-server';
import { VirtualClock } from '../support/time/virtual-clock';

const ROUNDS = 300;
/** Until what they take in common is compiled. */
const WARM_UP_ROUNDS = 60;
/** Each may be guessed at 20 times a minute, and the minute does not pass here. */
const ROUNDS_OF_ONE = 20;
/** Calls take turns, so a busy machine is late for one kind as for the other. */
const MAX_RATIO = 1.2;

const server = serverForAll({ clock: new VirtualClock(), trustedProxies: 'loopback' });

type Ask = (round: number) => Promise<Answer>;
const times = <T>(count: number, make: () => Promise<T>): Promise<T[]> =>
  Promise.all(Array.from({ length: count }, make));
const headersOf = (round: number) => ({ 'x-forwarded-for': `198.51.100.${round % 250}` });
/** Another secret for the same id. */
const wrongOf = (key: string): string => key.slice(0, -4) + (key.endsWith('0000') ? '1111' : '0000');

/** How long each kind of call takes where nothing holds it up, in ms: what one in ten stays below. */
async function fastOnesOf(kinds: readonly Ask[]): Promise<number[]> {
  const took: number[][] = kinds.map(() => []);
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const place of kinds.keys()) {
      // Another order each round: a call may leave something to do behind it.
      const turn = round % 2 === 0 ? place : kinds.length - 1 - place;
      const kind = (turn + Math.floor(round / 2)) % kinds.length;
      const sentMs = monotonicNowMs();
      await kinds[kind]?.(round);
      if (round >= WARM_UP_ROUNDS) took[kind]?.push(monotonicNowMs() - sentMs);
    }
  }
  return took.map((all) => quantile(all, 0.1));
}

function expectAlike([known = 0, unknown = 0]: readonly number[]): void {
  expect(Math.max(known / unknown, unknown / known)).toBeLessThan(MAX_RATIO);
}

test('a wrong secret of a client that exists, and of one that does not; a right one takes longer, and that is seen', async () => {
  const clients = await times(ROUNDS / ROUNDS_OF_ONE, () => server.newClient());
  const login = (clientKey: string, round: number): Promise<Answer> =>
    call('POST', `${server.url}/api/v1/auth/login`, { clientKey }, { headers: headersOf(round) });
  const keyOf = (round: number): string => clients[round % clients.length]?.clientKey ?? '';
  const [known = 0, unknown = 0, right = 0] = await fastOnesOf([
    (round) => login(wrongOf(keyOf(round)), round),
    (round) => login(newClientKey(systemRandomness).clientKey, round),
    (round) => login(keyOf(round), round),
  ]);
  expectAlike([known, unknown]);
  expect(right / known).toBeGreaterThan(MAX_RATIO);
}, 60_000);

test('a wrong key of a product that exists, and of one that does not', async () => {
  const products: TestProduct[] = await times(ROUNDS / ROUNDS_OF_ONE, () => server.newProduct());
  const token = await server.newToken();
  const claim = (productLogin: string, productKey: string, round: number): Promise<Answer> =>
    call('POST', `${server.url}/api/addProduct`, { productLogin, productKey }, { token, headers: headersOf(round) });
  const productOf = (round: number): TestProduct => products[round % products.length] as TestProduct;
  const fastOnes = await fastOnesOf([
    (round) => claim(productOf(round).productLogin, wrongOf(productOf(round).productKey), round),
    (round) => claim(`nobody-${round}`, wrongOf(productOf(round).productKey), round),
  ]);
  expectAlike(fastOnes);
}, 60_000);
