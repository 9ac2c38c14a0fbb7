/**
 * A word for programs with its values, as a sentence; null: there is none here for this word or for these values, as of
 * a program of another version.
 */
export function sentenceOf({ code, values }: { code: string; values: object }, words: object): string | null {
  const table = words as Readonly<Record<string, (of: object) => string>>;
  const say = Object.hasOwn(table, code) ? table[code] : undefined;
  try {
    return say?.(new Proxy(values, { get: present })) ?? null;
  } catch {
    return null;
  }
}

/** Throws for a value that lacks: a sentence would say "undefined". */
function present(values: object, name: string | symbol): unknown {
  const value: unknown = Reflect.get(values, name);
  if (value === undefined) throw new Error(`no value ${String(name)}`);
  return value;
}

/**
 * The words for why something failed; the system's own text, or another version's, stays as it is. What it happened to
 * may stand before, as in `/dev/ttyUSB0: unplugged`, and several may follow each other, as in `port-hangs; unplugged`.
 */
export function failureText(cause: string, words: Readonly<Record<string, string>>): string {
  return cause.replace(/(?<=^|[:;] )[a-z-]+(?=$|; )/g, (code) => (Object.hasOwn(words, code) && words[code]) || code);
}
