/**
 * The members, such as `menu.status`, that lack in one of two languages' words, are empty, or are the same in both. Of
 * functions it is looked whether they take as many values.
 */
export function untranslated(english: unknown, french: unknown, name = ''): string[] {
  if (typeof english === 'string' && typeof french === 'string') {
    return english === '' || french === '' || english === french ? [name] : [];
  }
  if (typeof english === 'function' && typeof french === 'function') {
    return english.length === french.length ? [] : [name];
  }
  if (!isTable(english) || !isTable(french)) return [name];
  const members = new Set([...Object.keys(english), ...Object.keys(french)]);
  return [...members].flatMap((member) =>
    untranslated(english[member], french[member], name === '' ? member : `${name}.${member}`),
  );
}

function isTable(words: unknown): words is Record<string, unknown> {
  return typeof words === 'object' && words !== null;
}
