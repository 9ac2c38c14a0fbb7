/**
 * A sentence is a text with the names of its values in braces, or a function of its values. Where a value is a Cause, the
 * sentence gets its words.
 */
import type { Cause, Reason } from '../runtime/cause';

type NamesIn<Text> = Text extends `${string}{${infer Name}}${infer Rest}` ? Name | NamesIn<Rest> : never;

/** What a value may be, by what its sentence gets. */
type Given<Shown> = string extends Shown ? Shown | Reason : Shown extends readonly string[] ? readonly Cause[] : Shown;

/** The values of each of these sentences. */
export type ValuesOf<Sentences> = {
  readonly [Code in keyof Sentences]: Sentences[Code] extends (values: infer Shown) => unknown
    ? { [Name in keyof Shown]: Given<Shown[Name]> }
    : Record<NamesIn<Sentences[Code]>, Cause | number>;
};

type Shown<Value> = Reason extends Value
  ? Exclude<Value, Reason>
  : Value extends readonly Reason[]
    ? readonly string[]
    : Value;

/** What a sentence gets of its values. */
type ShownValues<Values> = { [Name in keyof Values]: Shown<Values[Name]> };

/** Sentences for these values. */
export type WordsOf<Values, Said = string> = {
  readonly [Code in keyof Values]: (values: ShownValues<Values[Code]>) => Said;
};

/** The same sentences in another language. */
export type Translated<Sentences> = {
  readonly [Code in keyof Sentences]:
    | string
    | (Sentences[Code] extends (values: infer Shown) => unknown
        ? (values: Shown) => string
        : (values: Record<NamesIn<Sentences[Code]>, string | number>) => string);
};

/** null: there is none here for this code or for these values, as of a program of another version. */
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

/** The values with the words for each cause. */
export function shownValues<Values extends object>(
  values: Values,
  causeText: (of: Cause) => string,
): ShownValues<Values> {
  const shown = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(shown);
    return isCause(value) ? causeText(value) : value;
  };
  return new Proxy(values, { get: (of, name) => shown(present(of, name)) }) as ShownValues<Values>;
}

/** The words for why something failed; what has none here stays as it came. */
export function causeIn(words: object, cause: Cause): string {
  if (typeof cause === 'string') return cause;
  return sentenceOf(cause, words, (inner) => causeIn(words, inner)) ?? cause.text ?? cause.code;
}

function filled(sentence: string, values: object): string {
  return sentence.replace(/\{(\w+)\}/g, (_, name) => String(Reflect.get(values, name)));
}

/** Throws for a value that lacks: a sentence would say "undefined". */
function present(values: object, name: string | symbol): unknown {
  const value: unknown = Reflect.get(values, name);
  if (value === undefined) throw new Error(`no value ${String(name)}`);
  return value;
}

/** One of an older agent has a text alone. */
function isCause(value: unknown): value is Reason {
  return typeof value === 'object' && value !== null && ('text' in value || ('code' in value && 'values' in value));
}
