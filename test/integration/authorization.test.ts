/** The forms of the Authorization header (RFC 6750 section 2.1, RFC 7235 section 2.1), as bytes on the wire. */
import { beforeAll, describe, expect, test } from '@jest/globals';
import { linkNewGate } from '../support/server/linked-gate';
import { RawHttp } from '../support/server/raw-http';
import type { ScriptedDevice } from '../support/server/scripted-device';
import { serverForAll } from '../support/server/server-for-all';
import type { TestProduct } from '../support/server/test-server';

const server = serverForAll();
let gate: TestProduct;
let token: string;
let device: ScriptedDevice;
beforeAll(async () => {
  ({ gate, token, device } = await linkNewGate(server));
});

type Name = 'legacy' | 'v1';
/** An output is moved, so that what is let in shows at the device. */
async function toggled(name: Name, headers: readonly string[]): Promise<string> {
  const legacyBody = JSON.stringify({ productLogin: gate.productLogin, numOutput: 0 });
  const [path, body] =
    name === 'legacy'
      ? ['/api/toggleOutputProduct', legacyBody]
      : [`/api/v1/products/${gate.productLogin}/outputs/0/toggle`, '{}'];
  const raw = new RawHttp(server.url);
  raw.send(
    `POST ${path} HTTP/1.1`,
    'Host: gate',
    'Connection: close',
    'Content-Type: application/json',
    `Content-Length: ${body.length}`,
    ...headers,
    '',
    body,
  );
  return raw.closed();
}

describe.each(['legacy', 'v1'] as const)('%s', (name) => {
  test.each([
    ['as RFC 6750 writes it', (own: string) => [`Authorization: Bearer ${own}`]],
    ['a scheme in small letters', (own: string) => [`Authorization: bearer ${own}`]],
    ['a scheme in capitals', (own: string) => [`Authorization: BEARER ${own}`]],
    ['several spaces', (own: string) => [`Authorization: Bearer    ${own}`]],
    ['blanks around the value, which are not part of it', (own: string) => [`Authorization: \t Bearer ${own} \t `]],
    ['a name in small letters', (own: string) => [`authorization: Bearer ${own}`]],
    ['no space after the colon', (own: string) => [`Authorization:Bearer ${own}`]],
  ])('lets in %s', async (_what, headers) => {
    const before = device.commands.length;
    expect(await toggled(name, headers(token))).toMatch(/^HTTP\/1\.1 200 /);
    expect(device.commands).toHaveLength(before + 1);
  });

  test.each<[string, (own: string) => string[]]>([
    ['no header', () => []],
    ['an empty one', () => ['Authorization:']],
    ['a scheme alone', () => ['Authorization: Bearer']],
    ['a scheme and a space', () => ['Authorization: Bearer ']],
    ['a token alone', (own) => [`Authorization: ${own}`]],
    ['no space before the token', (own) => [`Authorization: Bearer${own}`]],
    ['a tab before the token', (own) => [`Authorization: Bearer\t${own}`]],
    ['another scheme', (own) => [`Authorization: Basic ${Buffer.from(`x:${own}`).toString('base64')}`]],
    ['a longer scheme', (own) => [`Authorization: BearerX ${own}`]],
    ['two tokens', (own) => [`Authorization: Bearer ${own} ${own}`]],
    ['a list', (own) => [`Authorization: Bearer ${own}, Bearer ${own}`]],
    ['a parameter', (own) => [`Authorization: Bearer ${own}; x=1`]],
    ['quotation marks', (own) => [`Authorization: Bearer "${own}"`]],
    ['a wrong token before the right one', (own) => ['Authorization: Bearer x', `Authorization: Bearer ${own}`]],
    ['two headers', (own) => [`Authorization: Bearer ${own}`, 'Authorization: Bearer x']],
    ['the same header twice', (own) => [`Authorization: Bearer ${own}`, `Authorization: Bearer ${own}`]],
    ['a token that is cut short', (own) => [`Authorization: Bearer ${own.slice(0, -1)}`]],
    ['a token that goes on', (own) => [`Authorization: Bearer ${own}=`]],
  ])('refuses %s: 401 bad-token, and nothing moves', async (_what, headers) => {
    const before = device.commands.length;
    const answer = await toggled(name, headers(token));
    expect(answer).toMatch(/^HTTP\/1\.1 401 /);
    expect(answer).toMatch(/^www-authenticate: Bearer error="invalid_token"\r$/im);
    expect(answer).toContain('bad-token');
    expect(device.commands).toHaveLength(before);
  });
});
