import { createHash } from 'node:crypto';
import { normalisedCode, productCode, type Randomness } from '@relaygate/shared';

const CODE_BYTES = 16;

/** Pins a device's public key to its product: 128 bit. */
export function newEnrolmentCode(randomness: Randomness): string {
  return productCode('enrolment code', randomness.bytes(CODE_BYTES));
}

/** SHA-256 of the normalised code, hex: what is stored. Any text has one, so a malformed code is merely a wrong one. */
export function hashEnrolmentCode(text: string): string {
  return createHash('sha256').update(normalisedCode(text)).digest('hex');
}
