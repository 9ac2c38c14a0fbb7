import type { KeyObject } from 'node:crypto';
import { ACCESS_TOKEN_SECONDS } from '@relaygate/shared';
import { sign, verify } from 'jsonwebtoken';

/** The JOSE header's `typ` of RFC 9068, so that no other JWT signed with this key passes as an access token. */
const TOKEN_TYPE = 'at+jwt';
const AUDIENCE = 'relaygate-api';

export interface AccessTokenKey {
  /** HMAC key of 32 bytes. A KeyObject: jsonwebtoken is fifty times slower with a string. */
  key: KeyObject;
  kid: string;
  /** `iss`: the server's name. */
  issuer: string;
}

/** A JWT (HS256) for the client, valid for ACCESS_TOKEN_SECONDS from `nowMs` (wall time). */
export function signAccessToken(signer: AccessTokenKey, clientId: string, tokenId: string, nowMs: number): string {
  const iat = Math.floor(nowMs / 1000);
  const claims = {
    iss: signer.issuer,
    aud: AUDIENCE,
    sub: clientId,
    jti: tokenId,
    iat,
    exp: iat + ACCESS_TOKEN_SECONDS,
  };
  return sign(claims, signer.key, { header: { alg: 'HS256', typ: TOKEN_TYPE, kid: signer.kid } });
}

/** The client id of a sound and unexpired token; undefined for anything else. */
export function readAccessToken(signer: AccessTokenKey, token: string, nowMs: number): string | undefined {
  try {
    const { header, payload } = verify(token, signer.key, {
      complete: true,
      algorithms: ['HS256'],
      issuer: signer.issuer,
      audience: AUDIENCE,
      clockTimestamp: Math.floor(nowMs / 1000),
    });
    const ours = header.typ === TOKEN_TYPE && header.kid === signer.kid && typeof payload === 'object' && payload.exp;
    return ours && payload.sub ? payload.sub : undefined;
  } catch {
    return undefined;
  }
}
