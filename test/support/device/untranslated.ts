/**
 * The members, such as `menu.status`, that lack in one of two languages' words, are empty, or are the same in both. Of
 * functions it is looked whether they say the same values.
 */
export function untranslated(english: unknown, french: unknown, name = ''): string[] {
  if (typeof english === 'string' && typeof french === 'string') {
    return english === '' || french === '' || english === french ? [name] : [];
  }
  if (isSentence(english) && isSentence(french)) {
    return saidNumbers(english) === saidNumbers(french) ? [] : [name];
  }
  if (!isTable(english) || !isTable(french)) return [name];
  const members = new Set([...Object.keys(english), ...Object.keys(french)]);
  return [...members].flatMap((member) =>
    untranslated(english[member], french[member], name === '' ? member : `${name}.${member}`),
  );
}

/** The numbers in what it says of some, in their order of size: languages say them in orders of their own. */
function saidNumbers(words: (...values: string[]) => unknown): string {
  const values = Array.from({ length: 4 }, (_, n) => String(7_200_001 + n * 3_600_000));
  return (String(words(...values)).match(/\d+/g) ?? []).sort().join();
}

function isSentence(words: unknown): words is (...values: string[]) => unknown {
  return typeof words === 'function';
}

function isTable(words: unknown): words is Record<string, unknown> {
  return typeof words === 'object' && words !== null;
}
