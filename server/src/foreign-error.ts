/**
 * What node: and better-sqlite3 throw, read by its members: `instanceof` fails on errors that were made in another
 * realm, such as a test runner's.
 */

/** `ENOENT`, `SQLITE_BUSY` and the like. */
export function codeOf(error: unknown): string | undefined {
  const code: unknown = typeof error === 'object' && error !== null && 'code' in error ? error.code : undefined;
  return typeof code === 'string' ? code : undefined;
}

/** The message of an error, or the text of anything else that was thrown. */
export function messageOf(error: unknown): string {
  return typeof error === 'object' && error !== null && 'message' in error ? String(error.message) : String(error);
}
