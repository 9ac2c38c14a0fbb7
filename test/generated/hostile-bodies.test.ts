/** T20: generated bodies for every route of both generations. */
import { beforeAll, expect, test } from '@jest/globals';
import type { KeyHolder } from '@relaygate/server/clients/client-store';
import { MAX_BODY_BYTES } from '@relaygate/shared';
import fc from 'fast-check';
import { generatedRounds } from '../support/chance/generated-rounds';
import { call, v1 } from '../support/server/api-client';
import { EVERY_ROUTE, type Route } from '../support/server/every-route';
import { expectContractForm } from '../support/server/expect-contract';
import { hostileBodies, type Known } from '../support/server/hostile-bodies';
import type { ScriptedDevice } from '../support/server/scripted-device';
import { serverForAll } from '../support/server/server-for-all';
import type { TestProduct } from '../support/server/test-server';
import { VirtualClock } from '../support/time/virtual-clock';

/** Requests under way at once, so that 409 has its turn too. */
const AT_ONCE = 8;
/** Commands, however many are played, and however fast. */
const ENOUGH = 999_999;

const server = serverForAll({
  trustedProxies: 'loopback',
  // However slow the machine is, no command is given up.
  clock: new VirtualClock(),
  settings: { productCommandsPerMinute: `${ENOUGH}`, clientCommandsPerMinute: `${ENOUGH}` },
});
let client: KeyHolder;
let known: Known;
let product: TestProduct;
let device: ScriptedDevice;
beforeAll(async () => {
  client = await server.newClient();
  product = await server.newProduct();
  await server.associate(server.tokenOf(client), product);
  device = await server.linkDevice(product);
  known = { ...product, clientKey: (await server.newClient()).clientKey };
});

const CONTENT_TYPES = [
  { weight: 8, arbitrary: fc.constant('application/json') },
  { weight: 1, arbitrary: fc.constantFrom('application/json; charset=utf-16', 'text/plain', 'application/x-json', '') },
];

test(
  'no body gets anything but a status of the contract in its form; the prototype and the server stay as they were',
  async () => {
    const prototype = Object.getOwnPropertyNames(Object.prototype);
    const request = fc.record({
      route: fc.constantFrom(...EVERY_ROUTE.filter(({ takesBody }) => takesBody)),
      body: hostileBodies(known),
      contentType: fc.oneof(...CONTENT_TYPES),
      numOutput: fc.constantFrom('0', '3', '4', '01', '-1', '1.0', '1000', 'x'),
      isAuthorised: fc.constantFrom(true, true, true, false),
      // The limits of failed attempts count per address; here the bodies are what is tried.
      address: fc.ipV4(),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(request, { minLength: AT_ONCE, maxLength: AT_ONCE }), async (requests) => {
        // A slow machine plays for longer than a token counts.
        const token = server.tokenOf(client);
        // A body of the round before may have dissociated it.
        await server.storage.associate(client.clientId, product.productLogin, Date.now());
        const answers = await Promise.all(
          requests.map(async ({ route, body, contentType, numOutput, isAuthorised, address }) => ({
            route,
            isAuthorised,
            body,
            contentType,
            answer: await call(route.method, `${server.url}/api${route.path(known.productLogin, numOutput)}`, body, {
              ...(isAuthorised ? { token } : {}),
              headers: { 'content-type': contentType, 'x-forwarded-for': address },
            }),
          })),
        );
        for (const { route, isAuthorised, body, contentType, answer } of answers) {
          expectContractForm(route, answer);
          const refusals = isAuthorised || route.open ? refusalsOf(route, body, contentType) : [401];
          if (refusals.length > 0) expect(refusals).toContain(answer.status);
        }
        expect(Object.getOwnPropertyNames(Object.prototype)).toEqual(prototype);
        expect(({} as Record<string, unknown>).state).toBeUndefined();
      }),
      generatedRounds(2_000 / AT_ONCE, 100_000 / AT_ONCE),
    );
    expect(server.log.lines.filter(({ level }) => level === 'error')).toEqual([]);
    // Some were good, and its commands still work.
    expect(device.commands.length).toBeGreaterThan(0);
    await server.storage.associate(client.clientId, product.productLogin, Date.now());
    const token = server.tokenOf(client);
    expect((await v1(server.url).toggle(known.productLogin, 0, { token })).text).toBe('OK');
    expect(device.closed).toBeUndefined();
  },
  15 * 60_000,
);

/** Design section 5, "unreadable request": what may be answered before any schema sees the body; empty when it is readable. */
function refusalsOf(route: Route, body: Uint8Array, contentType: string): number[] {
  if (body.length === 0) return route.name.endsWith('/toggle') ? [] : [422];
  const isJson = /^application\/json($|; charset=utf-8$)/.test(contentType);
  // Which of two faults comes first is not decided.
  if (body.length > MAX_BODY_BYTES) return isJson ? [413] : [413, 422];
  if (!isJson) return [422];
  try {
    const value: unknown = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body));
    return typeof value === 'object' && value !== null ? [] : [422];
  } catch {
    return [422];
  }
}
