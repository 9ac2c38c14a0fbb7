import type { Reason, RefusalWords, Why } from '../runtime/refusal';

/** null: a reason of a guard of another version, which has no words here. */
export function reasonText({ code, values }: Reason, words: RefusalWords): string | null {
  const table: Readonly<Record<string, (of: never) => string>> = words;
  const say = Object.hasOwn(table, code) ? table[code] : undefined;
  // Whoever refused has paired them: what has this code has these values.
  return say === undefined ? null : say(values as never);
}

/** Within a sentence. */
export function whyText(why: Why, words: RefusalWords): string {
  return 'text' in why ? why.text : (reasonText(why, words) ?? why.code);
}
