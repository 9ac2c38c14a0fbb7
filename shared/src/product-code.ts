/**
 * Product keys and enrolment codes: 128 random bits in Crockford's base32 behind a letter that tells one from the other, and
 * a check character behind them. Both are typed by people, from labels and by telephone.
 */
import { CROCKFORD_ALPHABET, crockford } from './crockford';

export type ProductCodeKind = 'product key' | 'enrolment code';

/** Their letter and their groups differ, so that a look tells them apart. */
const FORMS: Readonly<Record<ProductCodeKind, { letter: string; group: RegExp }>> = {
  'product key': { letter: 'P', group: /.{4}/g },
  'enrolment code': { letter: 'E', group: /.{7}/g },
};
const KINDS: readonly ProductCodeKind[] = ['product key', 'enrolment code'];
const CODE_CHARS = 28;
/** Of those that were made before there were letters and checks: they stay valid. */
const OLD_CODE_CHARS = 26;
/** 26 characters have room for 130 bits: the last two are zero. */
const FILLED_TO = 4;
const MAYBE_CODE = /^[0-9A-HJKMNP-TV-Z]{26,28}$/;

/** `bytes`: 16 of them. `PXXX-XXXX-XXXX-XXXX-XXXX-XXXX-XXXC` or `EXXXXXX-XXXXXXX-XXXXXXX-XXXXXXC`. */
export function productCode(kind: ProductCodeKind, bytes: Uint8Array): string {
  const { letter, group } = FORMS[kind];
  const text = `${letter}${crockford(bytes)}`;
  return (`${text}${checkCharacter(text)}`.match(group) ?? []).join('-');
}

/** Case and hyphens do not count, and I, L, O are read as the digits that they look like. */
export function normalisedCode(text: string): string {
  return text.toUpperCase().replaceAll('-', '').replace(/[IL]/g, '1').replaceAll('O', '0');
}

/** Whether a text may be a code, also one with a character too much or too little, and so a secret. */
export function isProductCodeLike(text: string): boolean {
  return MAYBE_CODE.test(normalisedCode(text));
}

/** Why no server can have made it, in a phrase behind its name that does not repeat it; null: one can. */
export function productCodeProblem(text: string, kind: ProductCodeKind): string | null {
  const code = normalisedCode(text);
  const stranger = [...code].find((char) => !CROCKFORD_ALPHABET.includes(char));
  if (stranger !== undefined) return `holds the sign ${JSON.stringify(stranger)}, which is in no ${kind}`;
  const isOld = code.length === OLD_CODE_CHARS;
  if (!isOld && code.length !== CODE_CHARS)
    return `has ${code.length} characters without its hyphens, but a whole ${kind} has ${CODE_CHARS} (an old one ${OLD_CODE_CHARS})`;
  const isRight = isOld
    ? CROCKFORD_ALPHABET.indexOf(code.slice(-1)) % FILLED_TO === 0
    : checkCharacter(code.slice(0, -1)) === code.slice(-1);
  const found = isOld ? kind : KINDS.find((one) => FORMS[one].letter === code[0]);
  if (!isRight || found === undefined)
    return `is mistyped: its check character does not fit. Compare it with what the server's operator was shown`;
  return found === kind
    ? null
    : `is the ${found} of a product, which begins with ${code[0]}; its ${kind} begins with ${FORMS[kind].letter}`;
}

/**
 * The hybrid method of ISO/IEC 7064 for 32 characters (MOD 33,32): one wrong character is always noticed, and two
 * neighbours in the wrong order are but for one pair in some hundred.
 */
function checkCharacter(text: string): string {
  const count = CROCKFORD_ALPHABET.length;
  const product = [...text].reduce((carry, char) => {
    const sum = (carry + CROCKFORD_ALPHABET.indexOf(char)) % count;
    return ((sum === 0 ? count : sum) * 2) % (count + 1);
  }, count);
  return CROCKFORD_ALPHABET.charAt((count + 1 - product) % count);
}
