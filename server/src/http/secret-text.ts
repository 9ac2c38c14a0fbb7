import { isProductCodeLike } from '@relaygate/shared';

/** Client keys, refresh tokens and JWTs begin like this. */
const SECRET_FORM = /rg[cr]_|eyJ/i;

/** True if the text looks like a key or token, which no log shows. */
export function isSecret(text: string): boolean {
  return SECRET_FORM.test(text) || isProductCodeLike(text);
}
