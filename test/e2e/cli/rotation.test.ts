import { expect, test } from '@jest/globals';
import { expectRefusal, freshCli } from './fresh-cli';

const cli = freshCli();
const { run, json } = cli;

interface Rotated {
  clientId: string;
  name: string;
  clientKey: string;
  oldKeyUntil: string | null;
}

test('rotate prints a new key once, and until when the old one works', async () => {
  const { clientId, clientKey } = await json('client', 'create', '--name', 'Front desk');
  const rotated = await json<Rotated>('client', 'rotate', 'Front desk');
  expect(rotated).toMatchObject({ clientId, name: 'Front desk', oldKeyUntil: null });
  expect(rotated.clientKey).not.toBe(clientKey);
  const kept = await json<Rotated>('client', 'rotate', clientId, '--old-key-until', '2099-01-01T01:00+01:00');
  expect(kept.oldKeyUntil).toBe('2099-01-01T00:00:00.000Z');
  expect(await json('client', 'list')).toMatchObject([{ clientId, oldKeyUntil: '2099-01-01T00:00:00.000Z' }]);
  const plain = await run(['client', 'rotate', 'Front desk', '--keep-old-for', '24h']);
  expect(plain.out).toMatch(/Old key +works until \d{4}-/);
  expect(plain.out).toContain('shown once');
});

test('an unknown client and a time that is past are refused', async () => {
  await json('client', 'create', '--name', 'Front desk');
  expectRefusal(await run(['client', 'rotate', 'nobody']), 1, 'client-not-found');
  expectRefusal(
    await run(['client', 'rotate', 'Front desk', '--old-key-until', '2020-01-01T00:00Z']),
    1,
    'out-of-range',
  );
});

test('a running server takes the new key at its next request, and the old one as long as it was kept', async () => {
  await cli.beside(async (url) => {
    const post = async (path: string, body: object): Promise<Response> => {
      const headers = { 'content-type': 'application/json' };
      return fetch(`${url}/api/v1/auth/${path}`, { method: 'POST', headers, body: JSON.stringify(body) });
    };
    const login = async (clientKey: string): Promise<number> => (await post('login', { clientKey })).status;

    const first = await json('client', 'create', '--name', 'Front desk');
    const tokensOf = async (response: Response): Promise<{ refreshToken: string }> => JSON.parse(await response.text());
    const { refreshToken } = await tokensOf(await post('login', { clientKey: first.clientKey }));
    const second = await json<Rotated>('client', 'rotate', 'Front desk', '--keep-old-for', '1h');
    expect([await login(first.clientKey), await login(second.clientKey)]).toEqual([200, 200]);
    const renewed = await post('refresh', { refreshToken });
    expect(renewed.status).toBe(200);

    const third = await json<Rotated>('client', 'rotate', 'Front desk');
    expect([await login(first.clientKey), await login(second.clientKey)]).toEqual([401, 401]);
    expect(await login(third.clientKey)).toBe(200);
    const { refreshToken: next } = await tokensOf(renewed);
    expect((await post('refresh', { refreshToken: next })).status).toBe(401);
  });
});
