/** A JSON escape of half a surrogate pair. */
const ESCAPED_SURROGATE = /\\ud[89a-f]/i;

/**
 * Parses JSON from the link. Half a surrogate pair, which UTF-8 cannot hold, becomes U+FFFD: the database would store it so, and
 * memory and database must agree. Throws as `JSON.parse` does.
 */
export function wellFormedJson(text: string): unknown {
  return ESCAPED_SURROGATE.test(text) ? JSON.parse(text, wellFormed) : JSON.parse(text);
}

function wellFormed(_member: string, value: unknown): unknown {
  return typeof value === 'string' ? value.toWellFormed() : value;
}
