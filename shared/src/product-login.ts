import { Type } from './json-schema';

/** Identifies a product, in the contract's words; the same characters in the API, on the link and in settings. */
export const PRODUCT_LOGIN_PATTERN = '^[A-Za-z0-9._-]{1,64}$';
export const ProductLogin = Type.String({ pattern: PRODUCT_LOGIN_PATTERN });

const FORMAT = new RegExp(PRODUCT_LOGIN_PATTERN);

/** True if a product can have this login. */
export function isProductLogin(text: string): boolean {
  return FORMAT.test(text);
}
