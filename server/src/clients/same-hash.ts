import { timingSafeEqual } from 'node:crypto';

/** Stands for a missing hash. No known text has it. */
const NOTHING_STORED = '0'.repeat(64);

/** Compares two SHA-256 hashes (hex). The time does not depend on the result, nor on whether a hash is stored. */
export function sameHash(hash: string, stored: string | undefined): boolean {
  return timingSafeEqual(Buffer.from(hash, 'hex'), Buffer.from(stored ?? NOTHING_STORED, 'hex'));
}
