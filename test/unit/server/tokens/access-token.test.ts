import { createSecretKey, randomBytes } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import { type AccessTokenKey, AccessTokenReader, signAccessToken } from '@relaygate/server/tokens/access-token';
import { ACCESS_TOKEN_SECONDS } from '@relaygate/shared';
import { sign } from 'jsonwebtoken';

const NOW = Date.UTC(2026, 0, 1);
const KEY: AccessTokenKey = { key: createSecretKey(randomBytes(32)), kid: 'k1', issuer: 'relaygate' };
const HOLDER = { clientId: 'client', keyId: 'key' };
const TIMES = { iat: NOW / 1000, exp: NOW / 1000 + 600 };
const CLAIMS = { iss: 'relaygate', aud: 'relaygate-api', sub: 'client', client_key_id: 'key', ...TIMES };
const HEADER = { alg: 'HS256', typ: 'at+jwt', kid: 'k1' };

const forged = (claims: object, header: object, key = KEY.key) =>
  sign(claims, key, { header: { ...HEADER, ...header } });

/** By a reader that has never seen the token. */
const read = (token: string, nowMs: number) => new AccessTokenReader(KEY).read(token, nowMs);

describe('an access token', () => {
  test('is good for its client until it expires', () => {
    const token = signAccessToken(KEY, HOLDER, 'id', NOW);
    expect(read(token, NOW)).toEqual(HOLDER);
    expect(read(token, NOW + ACCESS_TOKEN_SECONDS * 1000 - 1)).toEqual(HOLDER);
    expect(read(token, NOW + ACCESS_TOKEN_SECONDS * 1000)).toBeUndefined();
  });

  test('made by hand with the right key is good, so the refusals below mean what they say', () => {
    expect(read(forged(CLAIMS, {}), NOW)).toEqual(HOLDER);
  });

  test.each([
    ['another type', CLAIMS, { typ: 'JWT' }],
    ['another key id', CLAIMS, { kid: 'k2' }],
    ['a path as key id', CLAIMS, { kid: '../../dev/null' }],
    ['another algorithm', CLAIMS, { alg: 'HS512' }],
    ['another audience', { ...CLAIMS, aud: 'elsewhere' }, {}],
    ['another issuer', { ...CLAIMS, iss: 'elsewhere' }, {}],
    ['no expiry', { ...CLAIMS, exp: undefined }, {}],
    ['no subject', { ...CLAIMS, sub: undefined }, {}],
    ['no client key', { ...CLAIMS, client_key_id: undefined }, {}],
  ])('with %s is refused', (_name, claims, header) => {
    const present = Object.fromEntries(Object.entries(claims).filter(([, value]) => value !== undefined));
    expect(read(forged(present, header), NOW)).toBeUndefined();
  });

  test('signed with another key, or with none, is refused', () => {
    expect(read(forged(CLAIMS, {}, createSecretKey(randomBytes(32))), NOW)).toBeUndefined();
    const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
    expect(read(`${part({ ...HEADER, alg: 'none' })}.${part(CLAIMS)}.`, NOW)).toBeUndefined();
    expect(read('nonsense', NOW)).toBeUndefined();
  });

  test('that was good before expires all the same', () => {
    const reader = new AccessTokenReader(KEY);
    const token = signAccessToken(KEY, HOLDER, 'id', NOW);
    const expiresAtMs = NOW + ACCESS_TOKEN_SECONDS * 1000;
    expect(reader.read(token, NOW)).toEqual(HOLDER);
    expect(reader.read(token, expiresAtMs - 1)).toEqual(HOLDER);
    expect(reader.read(token, expiresAtMs)).toBeUndefined();
  });

  test('that was good before is not good with another signature, and one refused stays refused', () => {
    const reader = new AccessTokenReader(KEY);
    const token = signAccessToken(KEY, HOLDER, 'id', NOW);
    expect(reader.read(token, NOW)).toEqual(HOLDER);
    const other = forged(CLAIMS, {}, createSecretKey(randomBytes(32)));
    expect(reader.read(token.replace(/[^.]*$/, other.split('.')[2] ?? ''), NOW)).toBeUndefined();
    expect(reader.read(other, NOW)).toBeUndefined();
    expect(reader.read(other, NOW)).toBeUndefined();
  });
});
