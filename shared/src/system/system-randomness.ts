import { randomBytes, randomFillSync } from 'node:crypto';
import type { Randomness } from '../randomness';

/** One call of the system's generator costs more than a thousand bytes. */
const POOL_BYTES = 4_096;
const pool = Buffer.alloc(POOL_BYTES);
let used = POOL_BYTES;

export const systemRandomness: Randomness = {
  bytes,
  fraction: () => Buffer.from(bytes(6)).readUIntBE(0, 6) / 2 ** 48,
};

function bytes(size: number): Uint8Array {
  if (size > POOL_BYTES) return randomBytes(size);
  if (used + size > POOL_BYTES) {
    randomFillSync(pool);
    used = 0;
  }
  const taken = Uint8Array.prototype.slice.call(pool, used, used + size);
  // The bytes may become a secret, so no copy stays in the pool.
  pool.fill(0, used, used + size);
  used += size;
  return taken;
}
