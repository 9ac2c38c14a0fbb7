import type { Parser } from '@relaygate/shared';

/** null: it is no JSON. No schema of a file takes null. */
export function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/** null: it is no JSON, or not of that schema. */
export function parsedIn<T>(text: string, parse: Parser<T>): T | null {
  const parsed = parse(jsonIn(text));
  return parsed.ok ? parsed.value : null;
}

/** `isOneLine` absent: two spaces for each level, so that people can read it. */
export function jsonText(value: unknown, { isOneLine }: { isOneLine?: true } = {}): string {
  return `${JSON.stringify(value, null, isOneLine ? 0 : 2)}\n`;
}
