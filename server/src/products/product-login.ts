import { crockford, PRODUCT_LOGIN_PATTERN, type Randomness } from '@relaygate/shared';

const FORMAT = new RegExp(PRODUCT_LOGIN_PATTERN);
const RANDOM_BYTES = 5;

/** True if a product can have this login. */
export function isProductLogin(text: string): boolean {
  return FORMAT.test(text);
}

/** `gate-` and eight random characters. */
export function newProductLogin(randomness: Randomness): string {
  return `gate-${crockford(randomness.bytes(RANDOM_BYTES)).toLowerCase()}`;
}
