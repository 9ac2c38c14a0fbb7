import { timingSafeEqual } from 'node:crypto';

/** No text has this hash, as far as anybody knows: what is compared with where nothing is stored. */
const NOTHING_STORED = '0'.repeat(64);

/** Are two SHA-256 hashes (hex) the same? Takes the same time whether they are, or whether there is one stored at all. */
export function sameHash(hash: string, stored: string | undefined): boolean {
  return timingSafeEqual(Buffer.from(hash, 'hex'), Buffer.from(stored ?? NOTHING_STORED, 'hex'));
}
