import { createPrivateKey, createPublicKey, sign } from 'node:crypto';
import { proofText } from '@relaygate/shared';
import type { Identity } from '../agent/link/identity';

/** PKCS #8 of an Ed25519 key up to its 32 bytes (RFC 8410 section 7). */
const PKCS8_PREFIX = Buffer.from('302e020100300506032b657004220420', 'hex');

export function ed25519Identity(seed: Uint8Array): Identity {
  const key = createPrivateKey({ key: Buffer.concat([PKCS8_PREFIX, seed]), format: 'der', type: 'pkcs8' });
  // A JWK's x is the raw public key in base64url (RFC 8037 section 2).
  const publicKey = createPublicKey(key).export({ format: 'jwk' }).x ?? '';
  return {
    publicKey,
    prove: (subject) => sign(null, Buffer.from(proofText({ ...subject, publicKey })), key).toString('base64url'),
  };
}
