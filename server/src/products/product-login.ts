import { crockford, type Randomness } from '@relaygate/shared';

const RANDOM_BYTES = 5;

/** `gate-` and eight random characters. */
export function newProductLogin(randomness: Randomness): string {
  return `gate-${crockford(randomness.bytes(RANDOM_BYTES)).toLowerCase()}`;
}
