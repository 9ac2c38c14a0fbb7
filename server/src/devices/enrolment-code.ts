import { createHash } from 'node:crypto';
import { normalisedCode, productCode, type Randomness } from '@relaygate/shared';

const CODE_BYTES = 16;

/** Pins a device's public key to its product: 128 bits. */
export function newEnrolmentCode(randomness: Randomness): string {
  return productCode('enrolment code', randomness.bytes(CODE_BYTES));
}

/** SHA-256 of the normalised code, hex. Only this is stored. Any text has a hash, so a malformed code is just a wrong code. */
export function hashEnrolmentCode(text: string): string {
  return createHash('sha256').update(normalisedCode(text)).digest('hex');
}
