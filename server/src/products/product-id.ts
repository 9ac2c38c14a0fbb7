import type { Randomness } from '@relaygate/shared';

/** A safe integer holds 53 bits. */
const RANDOM_BYTES = 6;

/** 48 random bits: no two products of one installation share an id, also where one database was copied from another. */
export function newProductId(randomness: Randomness): number {
  return randomness.bytes(RANDOM_BYTES).reduce((id, byte) => id * 256 + byte, 0);
}
