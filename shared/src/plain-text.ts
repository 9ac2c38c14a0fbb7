/**
 * Makes texts of others safe for a terminal. Unsafe characters move the cursor, end a line or are invisible, or change the
 * direction of the text, so that it reads as another one ("Trojan Source", CVE-2021-42574). They are:
 * - controls (C0, DEL, C1), halves of surrogate pairs, line and paragraph separators (general categories Cc, Cs, Zl, Zp);
 * - characters that displays ignore by default (Default_Ignorable_Code_Point, UAX #44), as UTS #39 advises for identifiers.
 *   It includes all of Bidi_Control (UAX #9): U+061C, U+200E, U+200F, U+202A to U+202E, U+2066 to U+2069.
 * Allowed are the two joiners and the variation selectors: Persian, Indic scripts and emoji need them.
 */
const UNSAFE_PROPERTIES = '\\p{Cc}\\p{Cs}\\p{Zl}\\p{Zp}\\p{Default_Ignorable_Code_Point}';
const JOINERS = '\\u200c\\u200d\\ufe00-\\ufe0f';

/** One character that may stand in a name that is given now, for a JSON schema's `pattern`. */
export const PLAIN_CHAR = `(?:[^${UNSAFE_PROPERTIES}]|[${JOINERS}])`;
/** A visible character. The empty Braille pattern is a symbol in Unicode, but blank. */
const VISIBLE_CHAR = '(?!\\u2800)[\\p{L}\\p{N}\\p{P}\\p{S}]';
/** A name that is given now: at least one visible character, and no unsafe one. */
export const NAME_PATTERN = `^(?=${PLAIN_CHAR}*?${VISIBLE_CHAR})${PLAIN_CHAR}+$`;

const UNSAFE = new RegExp(`(?![${JOINERS}])[${UNSAFE_PROPERTIES}]`, 'gu');
const PLAIN = new RegExp(`^${PLAIN_CHAR}*$`, 'u');
const NAME = new RegExp(NAME_PATTERN, 'u');

/** True if the text holds no unsafe character. */
export function isPlain(text: string): boolean {
  return PLAIN.test(text);
}

/** The text as a name, without blanks around it; null if it cannot be one. */
export function givenName(text: string): string | null {
  const name = text.trim();
  return NAME.test(name) ? name : null;
}

/**
 * Writes unsafe characters as escapes such as `\u202e`; line feeds and tabs stay. A JSON text keeps its value: there, unsafe
 * characters stand in strings only, where this is JSON's own escape.
 */
export function plainText(text: string): string {
  return text.replaceAll(UNSAFE, (char) => (char === '\n' || char === '\t' ? char : numbered(char)));
}

/** The same, with line feeds and tabs escaped as well. */
export function plainLine(text: string): string {
  return text.replaceAll(UNSAFE, numbered);
}

/** Each UTF-16 code unit as a JSON escape. */
function numbered(char: string): string {
  return char
    .split('')
    .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
    .join('');
}

/** Joins the lines of a message. */
export function oneLine(text: string): string {
  const lines = text.split(/[\r\n\v\f\u0085\u2028\u2029]/).map((line) => line.trim());
  return lines.filter((line) => line !== '').join(' ');
}
