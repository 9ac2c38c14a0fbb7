/**
 * Product keys and enrolment codes: a letter for the kind, 128 random bits in Crockford's base32, and a check character. People
 * type both from labels, or read them out by telephone.
 */
import { CROCKFORD_ALPHABET, crockford } from './crockford';

export type ProductCodeKind = 'product key' | 'enrolment code';

/** People see the kind by its letter and its groups. */
const FORMS: Readonly<Record<ProductCodeKind, { letter: string; group: RegExp }>> = {
  'product key': { letter: 'P', group: /.{4}/g },
  'enrolment code': { letter: 'E', group: /.{7}/g },
};
const KINDS: readonly ProductCodeKind[] = ['product key', 'enrolment code'];
const CODE_CHARS = 28;
/** Older codes have neither letter nor check character; they stay valid. */
const OLD_CODE_CHARS = 26;
/** The last two of 130 bits in 26 characters are zero. */
const FILLED_TO = 4;
const MAYBE_CODE = /^[0-9A-HJKMNP-TV-Z]{26,28}$/;

/** `bytes`: 16 of them. `PXXX-XXXX-XXXX-XXXX-XXXX-XXXX-XXXC` or `EXXXXXX-XXXXXXX-XXXXXXX-XXXXXXC`. */
export function productCode(kind: ProductCodeKind, bytes: Uint8Array): string {
  const { letter, group } = FORMS[kind];
  const text = `${letter}${crockford(bytes)}`;
  return (`${text}${checkCharacter(text)}`.match(group) ?? []).join('-');
}

/** Without hyphens, in capitals; I, L and O become the digits that they look like. */
export function normalisedCode(text: string): string {
  return text.toUpperCase().replaceAll('-', '').replace(/[IL]/g, '1').replaceAll('O', '0');
}

/** True if the text may be a code, and so a secret; also with one character too many or too few. */
export function isProductCodeLike(text: string): boolean {
  return MAYBE_CODE.test(normalisedCode(text));
}

/** Why no server can have made this code: a phrase to follow its name, which does not show the code. Null if one can. */
export function productCodeProblem(text: string, kind: ProductCodeKind): string | null {
  const code = normalisedCode(text);
  const stranger = [...code].find((char) => !CROCKFORD_ALPHABET.includes(char));
  if (stranger !== undefined) return `holds the character ${JSON.stringify(stranger)}, which is in no ${kind}`;
  const isOld = code.length === OLD_CODE_CHARS;
  if (!isOld && code.length !== CODE_CHARS)
    return `has ${code.length} characters without its hyphens, but a whole ${kind} has ${CODE_CHARS} (an old one ${OLD_CODE_CHARS})`;
  const isRight = isOld
    ? CROCKFORD_ALPHABET.indexOf(code.slice(-1)) % FILLED_TO === 0
    : checkCharacter(code.slice(0, -1)) === code.slice(-1);
  const found = isOld ? kind : KINDS.find((one) => FORMS[one].letter === code[0]);
  // An old one has no check character: its last holds fewer bits than others.
  const why = isOld ? '' : ': its check character does not fit';
  if (!isRight || found === undefined) return `is mistyped${why}. Compare it with the code that the server printed`;
  return found === kind
    ? null
    : `is the ${found} of a product, which begins with ${code[0]}; its ${kind} begins with ${FORMS[kind].letter}`;
}

/**
 * The hybrid method of ISO/IEC 7064 for 32 characters (MOD 33,32). It finds every single wrong character, and all but about one
 * in a hundred pairs of swapped neighbours.
 */
function checkCharacter(text: string): string {
  const count = CROCKFORD_ALPHABET.length;
  const product = [...text].reduce((carry, char) => {
    const sum = (carry + CROCKFORD_ALPHABET.indexOf(char)) % count;
    return ((sum === 0 ? count : sum) * 2) % (count + 1);
  }, count);
  return CROCKFORD_ALPHABET.charAt((count + 1 - product) % count);
}
