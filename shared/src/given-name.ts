/** Names that people give now: of outputs, of themselves. Older ones may hold anything. */
import { JOINERS, UNSAFE_PROPERTIES } from './plain-text';

/** One character that may stand in a name that is given now, for a JSON schema's `pattern`. */
export const PLAIN_CHAR = `(?:[^${UNSAFE_PROPERTIES}]|[${JOINERS}])`;
/** A visible character. The empty Braille pattern is a symbol in Unicode, but blank. */
const VISIBLE_CHAR = '(?!\\u2800)[\\p{L}\\p{N}\\p{P}\\p{S}]';
/** A name that is given now: at least one visible character, and no unsafe one. */
export const NAME_PATTERN = `^(?=${PLAIN_CHAR}*?${VISIBLE_CHAR})${PLAIN_CHAR}+$`;

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
