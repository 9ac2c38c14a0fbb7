/**
 * Texts of others, made safe for a terminal. Some characters move its cursor, end a line, or show nothing; some turn the
 * writing around, so that a text reads as another one ("Trojan Source", CVE-2021-42574). Those are:
 * - controls (C0, DEL, C1), halves of surrogate pairs, line and paragraph separators (general categories Cc, Cs, Zl, Zp);
 * - what a display ignores by Unicode's default (Default_Ignorable_Code_Point, UAX #44), as UTS #39 advises for identifiers.
 *   It includes all of Bidi_Control (UAX #9): U+061C, U+200E, U+200F, U+202A to U+202E, U+2066 to U+2069.
 * Allowed are the two joiners and the variation selectors: Persian, Indic scripts and emoji need them.
 */
const UNSAFE_PROPERTIES = '\\p{Cc}\\p{Cs}\\p{Zl}\\p{Zp}\\p{Default_Ignorable_Code_Point}';
const JOINERS = '\\u200c\\u200d\\ufe00-\\ufe0f';

/** One character that may stand in a name that is given now, for a JSON schema's `pattern`. */
export const PLAIN_CHAR = `(?:[^${UNSAFE_PROPERTIES}]|[${JOINERS}])`;
/** One that leaves ink by itself. The empty pattern of Braille is a symbol to Unicode, and blank. */
const VISIBLE_CHAR = '(?!\\u2800)[\\p{L}\\p{N}\\p{P}\\p{S}]';
/** A name that is given now: something of it can be seen, and nothing in it makes it read as another one. */
export const NAME_PATTERN = `^(?=${PLAIN_CHAR}*?${VISIBLE_CHAR})${PLAIN_CHAR}+$`;

const UNSAFE = new RegExp(`(?![${JOINERS}])[${UNSAFE_PROPERTIES}]`, 'gu');
const PLAIN = new RegExp(`^${PLAIN_CHAR}*$`, 'u');
const NAME = new RegExp(NAME_PATTERN, 'u');

/** Whether it holds no such character. */
export function isPlain(text: string): boolean {
  return PLAIN.test(text);
}

/** The name that somebody gives by this text, without the blanks around it; null: it is none. */
export function givenName(text: string): string | null {
  const name = text.trim();
  return NAME.test(name) ? name : null;
}

/**
 * The same with `\u202e` in the place of such a character; line feeds and tabs stay. Within a JSON text they stand in
 * strings only, where that is JSON's own way to write them: it keeps its value.
 */
export function plainText(text: string): string {
  return text.replaceAll(UNSAFE, (char) => (char === '\n' || char === '\t' ? char : numbered(char)));
}

/** The same for a text that is one line, or a part of one. */
export function plainLine(text: string): string {
  return text.replaceAll(UNSAFE, numbered);
}

/** Each UTF-16 code unit as JSON has it. */
function numbered(char: string): string {
  return char
    .split('')
    .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
    .join('');
}

/** A message in one line, as every complaint is. */
export function oneLine(text: string): string {
  const lines = text.split(/[\r\n\v\f\u0085\u2028\u2029]/).map((line) => line.trim());
  return lines.filter((line) => line !== '').join(' ');
}
