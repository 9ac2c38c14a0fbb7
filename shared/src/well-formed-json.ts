/** How JSON writes half a surrogate pair, and either half of a whole one. */
const ESCAPED_SURROGATE = /\\ud[89a-f]/i;

/**
 * JSON as it comes over the link. Half a surrogate pair, which UTF-8 cannot hold, is read as U+FFFD: a database would make that
 * of it, and memory and database would not agree. Throws as `JSON.parse` does.
 */
export function wellFormedJson(text: string): unknown {
  return ESCAPED_SURROGATE.test(text) ? JSON.parse(text, wellFormed) : JSON.parse(text);
}

function wellFormed(_member: string, value: unknown): unknown {
  return typeof value === 'string' ? value.toWellFormed() : value;
}
