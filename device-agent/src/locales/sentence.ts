import type { Cause, Reason } from '../runtime/cause';

/** null: there is no sentence for this code or these values, as from a program of another version. */
export function sentenceOf({ code, values }: Reason, words: object, causeText: (of: Cause) => string): string | null {
  const table = words as Readonly<Record<string, string | ((of: object) => string)>>;
  const sentence = Object.hasOwn(table, code) ? table[code] : undefined;
  if (sentence === undefined) return null;
  try {
    const shown = shownValues(values, causeText);
    return typeof sentence === 'string' ? filled(sentence, shown) : sentence(shown);
  } catch {
    return null;
  }
}

/** The words for why something failed; a cause without words here stays as it came. */
export function causeIn(words: object, cause: Cause): string {
  if (typeof cause === 'string') return cause;
  return sentenceOf(cause, words, (inner) => causeIn(words, inner)) ?? cause.text ?? cause.code;
}

/** The values with the words for each cause. A missing value throws, because a sentence would say "undefined". */
export function shownValues(values: object, causeText: (of: Cause) => string): object {
  const shown = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(shown);
    return isCause(value) ? causeText(value) : value;
  };
  return new Proxy(values, {
    get(of, name) {
      const value: unknown = Reflect.get(of, name);
      if (value === undefined) throw new Error(`no value ${String(name)}`);
      return shown(value);
    },
  });
}

/** The text with the values for the names in its braces. */
export function filled(text: string, values: object): string {
  const valueFor = (name: string): string => [Reflect.get(values, name)].flat().join(', ');
  return text.split(/[{}]/).reduce((said, part, n) => said + (n % 2 === 0 ? part : valueFor(part)), '');
}

/** A cause of an older agent has only a text. */
function isCause(value: unknown): value is Reason {
  return typeof value === 'object' && value !== null && ('text' in value || ('code' in value && 'values' in value));
}
