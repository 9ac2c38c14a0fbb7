import { createHash } from 'node:crypto';
import { normalisedCode, productCode, type Randomness } from '@relaygate/shared';

const KEY_BYTES = 16;

/** Proves to `addProduct` that somebody holds the product: 128 bits. */
export function newProductKey(randomness: Randomness): string {
  return productCode('product key', randomness.bytes(KEY_BYTES));
}

/** SHA-256 of the normalised key, hex. Only this is stored. Any text has a hash, so a malformed key is just a wrong key. */
export function hashProductKey(text: string): string {
  return createHash('sha256').update(normalisedCode(text)).digest('hex');
}
