import { createHash } from 'node:crypto';
import { crockford, type Randomness } from '@relaygate/shared';

const KEY_BYTES = 16;
const GROUP = /.{1,4}/g;
const FORMAT = /^[0-9A-HJKMNP-TV-Z]{26}$/;

/** Proves to `addProduct` that somebody holds the product: 128 bit, `XXXX-XXXX-XXXX-XXXX-XXXX-XXXX-XX`. */
export function newProductKey(randomness: Randomness): string {
  const text = crockford(randomness.bytes(KEY_BYTES));
  return (text.match(GROUP) ?? []).join('-');
}

/** Of the same form; pins a device's public key to its product. */
export const newEnrolmentCode = newProductKey;

/** Case and hyphens do not count, and I, L, O are read as the digits that they look like. */
export function normaliseKey(text: string): string {
  return text.toUpperCase().replaceAll('-', '').replace(/[IL]/g, '1').replaceAll('O', '0');
}

/** Whether a text may be a product key or an enrolment code, and so a secret. */
export function isProductKeyLike(text: string): boolean {
  return FORMAT.test(normaliseKey(text));
}

/** SHA-256 of the normalised key, hex: what is stored. Any text has one, so a malformed key is merely a wrong one. */
export function hashProductKey(text: string): string {
  return createHash('sha256').update(normaliseKey(text)).digest('hex');
}

export const hashEnrolmentCode = hashProductKey;
