/** T23: product logins that try to be something else, in bodies and in paths. */
import { beforeAll, describe, expect, test } from '@jest/globals';
import type { KeyHolder } from '@relaygate/server/clients/client-store';
import fc from 'fast-check';
import { generatedRounds } from '../support/chance/generated-rounds';
import { call } from '../support/server/api-client';
import { EVERY_ROUTE } from '../support/server/every-route';
import { expectContractForm } from '../support/server/expect-contract';
import { serverForAll } from '../support/server/server-for-all';
import { VirtualClock } from '../support/time/virtual-clock';

const SPECIMENS = [
  '..',
  '../..',
  '..%2f',
  '..%2F..%2Fetc',
  '%00',
  '\0',
  '*',
  '>',
  '#',
  '<>; rel="x"',
  '{productLogin}',
].concat([
  'a\r\nSet-Cookie: b=c',
  '%0d%0aX: y',
  '\n',
  ' ',
  '\u2028',
  '\ud800',
  'é',
  'x'.repeat(10_240),
  'gate*',
  "' OR 1=1 --",
  '%',
]);

const LIMIT_MS = 15 * 60_000;

// It stands still: what the server says by the minute is no line about a request.
const server = serverForAll({ clock: new VirtualClock(), trustedProxies: 'loopback' });
let client: KeyHolder;
beforeAll(async () => {
  client = await server.newClient();
  await server.newProduct({ productLogin: 'gate' });
});

/** In the path, or perhaps in the body. */
const TAKES_LOGIN = EVERY_ROUTE.filter(({ name, takesBody }) => takesBody || name.includes('{productLogin}'));
const productLogin = fc
  .oneof(
    fc.constantFrom(...SPECIMENS),
    fc.string({ unit: 'binary', minLength: 1, maxLength: 300 }),
    fc
      .tuple(fc.constantFrom(...SPECIMENS), fc.string({ unit: 'binary', maxLength: 20 }))
      .map((parts) => parts.join('')),
  )
  .filter((login) => login !== 'gate');

/** Strings that JSON can hold and a path cannot. */
const encoded = (login: string): string => encodeURIComponent(login.toWellFormed());

describe.each(TAKES_LOGIN.map((route) => [route.name, route] as const))('%s', (_name, route) => {
  test(
    'answers 404 or 422 to a login that is none, in the contract’s form, with at most one line in the log',
    async () => {
      const asked = fc.record({ login: productLogin, address: fc.ipV4() });
      await fc.assert(
        fc.asyncProperty(asked, async ({ login, address }) => {
          const before = server.log.lines.length;
          const path = route.path(encoded(login), '0');
          const body = { productLogin: login, productKey: 'x', numOutput: 0, state: 1 };
          const answer = await call(route.method, `${server.url}/api${path}`, route.takesBody ? body : undefined, {
            // A slow machine plays for longer than one counts.
            token: server.tokenOf(client),
            headers: { 'x-forwarded-for': address },
          });
          const inPath = path.includes(encoded(login));
          // What a URL takes away before it is sent: then the path is another one, with other methods, or a list.
          const elsewhere = inPath && /^\.{1,2}$/.test(login);
          // Wrong keys for one login are counted, whatever the login is.
          const claims = route.takesProductKey ? [429] : [];
          expect([404, 422, ...(elsewhere ? [200, 405] : []), ...claims]).toContain(answer.status);
          if (!elsewhere) expectContractForm(route, answer);
          expect(server.log.lines.length - before).toBeLessThanOrEqual(1);
          expect(server.log.lines.filter(({ level }) => level === 'error')).toEqual([]);
        }),
        generatedRounds(60, 600),
      );
    },
    LIMIT_MS,
  );
});

test.each(['%2e%2e', '%zz', '%00', '%', '%c3%28', 'gate%0d%0aX:%20y', '..%2fgate', '*', 'x'.repeat(10_240)])(
  'a path with %.20s as it is: 404 or 422, or that of a list; never 5xx',
  async (raw) => {
    for (const route of TAKES_LOGIN.filter(({ generation }) => generation === 'v1')) {
      if (route.path(raw, '0') === route.path('', '0')) continue;
      const url = `${server.url}/api${route.path(raw, '0')}`;
      const answer = await call(route.method, url, route.takesBody ? { state: 1 } : undefined, {
        token: server.tokenOf(client),
      });
      expect([404, 405, 422, ...(raw === '%2e%2e' ? [200] : [])]).toContain(answer.status);
    }
  },
);
