/**
 * Makes texts of others safe for a terminal. Unsafe characters move the cursor, end a line or are invisible, or change the
 * direction of the text, so that it reads as another one ("Trojan Source", CVE-2021-42574). They are:
 * - controls (C0, DEL, C1), halves of surrogate pairs, line and paragraph separators (general categories Cc, Cs, Zl, Zp);
 * - characters that displays ignore by default (Default_Ignorable_Code_Point, UAX #44), as UTS #39 advises for identifiers.
 *   It includes all of Bidi_Control (UAX #9): U+061C, U+200E, U+200F, U+202A to U+202E, U+2066 to U+2069.
 * Allowed are the two joiners and the variation selectors: Persian, Indic scripts and emoji need them.
 */
export const UNSAFE_PROPERTIES = '\\p{Cc}\\p{Cs}\\p{Zl}\\p{Zp}\\p{Default_Ignorable_Code_Point}';
export const JOINERS = '\\u200c\\u200d\\ufe00-\\ufe0f';

const UNSAFE = new RegExp(`(?![${JOINERS}])[${UNSAFE_PROPERTIES}]`, 'gu');

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
