import type { KeyObject } from 'node:crypto';
import { ACCESS_TOKEN_SECONDS } from '@relaygate/shared';
import { sign, verify } from 'jsonwebtoken';
import { LRUCache } from 'lru-cache';
import type { KeyHolder } from '../clients/client-store';

/** The JOSE header `typ` of RFC 9068: no other JWT that is signed with this key is accepted as an access token. */
const TOKEN_TYPE = 'at+jwt';
const AUDIENCE = 'relaygate-api';

export interface AccessTokenKey {
  /** HMAC key of 32 bytes. A KeyObject: jsonwebtoken is fifty times slower with a string. */
  key: KeyObject;
  kid: string;
  /** `iss`: the server's name. */
  issuer: string;
}

/** A JWT (HS256), valid for ACCESS_TOKEN_SECONDS from `nowMs` (wall time). `client_key_id` is the key of the login. */
export function signAccessToken(signer: AccessTokenKey, holder: KeyHolder, tokenId: string, nowMs: number): string {
  const iat = Math.floor(nowMs / 1000);
  const claims = {
    iss: signer.issuer,
    aud: AUDIENCE,
    sub: holder.clientId,
    client_key_id: holder.keyId,
    jti: tokenId,
    iat,
    exp: iat + ACCESS_TOKEN_SECONDS,
  };
  return sign(claims, signer.key, { header: { alg: 'HS256', typ: TOKEN_TYPE, kid: signer.kid } });
}

/** How many checked tokens are remembered (I15): about 3 MB. */
const MAX_CHECKED = 4_096;

interface CheckedToken {
  holder: KeyHolder;
  /** `exp`: Unix seconds. */
  expiresAtSeconds: number;
}

/**
 * Reads access tokens. A client sends one token many times, so the signature of a sound token is checked once. Its time is
 * checked at each use; whether its client may do anything is checked elsewhere (I13).
 */
export class AccessTokenReader {
  readonly #signer: AccessTokenKey;
  // Not `max`: it allocates the room for all tokens at the start.
  readonly #checked = new LRUCache<string, CheckedToken>({ maxSize: MAX_CHECKED, sizeCalculation: () => 1 });

  constructor(signer: AccessTokenKey) {
    this.#signer = signer;
  }

  /** The holder of a sound and unexpired token, else undefined. `nowMs`: wall time. */
  read(token: string, nowMs: number): KeyHolder | undefined {
    const known = this.#checked.get(token);
    if (known) return Math.floor(nowMs / 1000) < known.expiresAtSeconds ? known.holder : undefined;
    const checked = checkedToken(this.#signer, token, nowMs);
    if (checked) this.#checked.set(token, checked);
    return checked?.holder;
  }
}

function checkedToken(signer: AccessTokenKey, token: string, nowMs: number): CheckedToken | undefined {
  try {
    const { header, payload } = verify(token, signer.key, {
      complete: true,
      algorithms: ['HS256'],
      issuer: signer.issuer,
      audience: AUDIENCE,
      clockTimestamp: Math.floor(nowMs / 1000),
    });
    if (header.typ !== TOKEN_TYPE || header.kid !== signer.kid || typeof payload !== 'object') return undefined;
    const { sub, exp, client_key_id: keyId } = payload;
    if (!sub || !exp || typeof keyId !== 'string') return undefined;
    return { holder: { clientId: sub, keyId }, expiresAtSeconds: exp };
  } catch {
    return undefined;
  }
}
