/** A word for programs with its values, as a sentence; null: there are no words for it here, as of a guard of another version. */
export function sentenceOf({ code, values }: { code: string; values: object }, words: object): string | null {
  // Whoever made it has paired them: what has this code has these values.
  const table = words as Readonly<Record<string, (of: object) => string>>;
  const say = Object.hasOwn(table, code) ? table[code] : undefined;
  return say?.(values) ?? null;
}
