import { createHash } from 'node:crypto';
import { crockford, type Randomness } from '@relaygate/shared';

/** `rgc_<keyid>_<secret>`: 80 bits that name the key and 256 secret bits, in Crockford's base32, small letters. */
const FORMAT = /^rgc_([0-9a-hjkmnp-tv-z]{16})_[0-9a-hjkmnp-tv-z]{52}$/;
const KEY_ID_BYTES = 10;
const SECRET_BYTES = 32;

export interface ClientKey {
  keyId: string;
  /** The whole key. It is shown once and never stored. */
  clientKey: string;
}

/** A random key. */
export function newClientKey(randomness: Randomness): ClientKey {
  const keyId = crockford(randomness.bytes(KEY_ID_BYTES)).toLowerCase();
  const secret = crockford(randomness.bytes(SECRET_BYTES)).toLowerCase();
  return { keyId, clientKey: `rgc_${keyId}_${secret}` };
}

/** Undefined if the text does not have the form of a client key. */
export function parseClientKey(text: string): { keyId: string } | undefined {
  const keyId = FORMAT.exec(text)?.[1];
  return keyId === undefined ? undefined : { keyId };
}

/** SHA-256 of the whole key, hex. Only this is stored. */
export function hashClientKey(clientKey: string): string {
  return createHash('sha256').update(clientKey).digest('hex');
}
