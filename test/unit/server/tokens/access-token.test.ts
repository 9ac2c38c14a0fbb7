import { createSecretKey, randomBytes } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import { type AccessTokenKey, readAccessToken, signAccessToken } from '@relaygate/server/tokens/access-token';
import { ACCESS_TOKEN_SECONDS } from '@relaygate/shared';
import { sign } from 'jsonwebtoken';

const NOW = Date.UTC(2026, 0, 1);
const KEY: AccessTokenKey = { key: createSecretKey(randomBytes(32)), kid: 'k1', issuer: 'relaygate' };
const CLAIMS = { iss: 'relaygate', aud: 'relaygate-api', sub: 'client', iat: NOW / 1000, exp: NOW / 1000 + 600 };
const HEADER = { alg: 'HS256', typ: 'at+jwt', kid: 'k1' };

const forged = (claims: object, header: object, key = KEY.key) =>
  sign(claims, key, { header: { ...HEADER, ...header } });

describe('an access token', () => {
  test('is good for its client until it expires', () => {
    const token = signAccessToken(KEY, 'client', 'id', NOW);
    expect(readAccessToken(KEY, token, NOW)).toBe('client');
    expect(readAccessToken(KEY, token, NOW + ACCESS_TOKEN_SECONDS * 1000 - 1)).toBe('client');
    expect(readAccessToken(KEY, token, NOW + ACCESS_TOKEN_SECONDS * 1000)).toBeUndefined();
  });

  test('made by hand with the right key is good, so the refusals below mean what they say', () => {
    expect(readAccessToken(KEY, forged(CLAIMS, {}), NOW)).toBe('client');
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
  ])('with %s is refused', (_name, claims, header) => {
    const present = Object.fromEntries(Object.entries(claims).filter(([, value]) => value !== undefined));
    expect(readAccessToken(KEY, forged(present, header), NOW)).toBeUndefined();
  });

  test('signed with another key, or with none, is refused', () => {
    expect(readAccessToken(KEY, forged(CLAIMS, {}, createSecretKey(randomBytes(32))), NOW)).toBeUndefined();
    const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
    expect(readAccessToken(KEY, `${part({ ...HEADER, alg: 'none' })}.${part(CLAIMS)}.`, NOW)).toBeUndefined();
    expect(readAccessToken(KEY, 'nonsense', NOW)).toBeUndefined();
  });
});
