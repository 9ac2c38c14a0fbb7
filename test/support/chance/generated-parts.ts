/** `document` with each generated part, by the name in its markers, as it should be. Throws when markers are missing. */
export function withParts(document: string, parts: Readonly<Record<string, () => string>>): string {
  return Object.entries(parts).reduce((text, [name, part]) => {
    const begin = `<!-- generated: ${name} -->`;
    const end = `<!-- end: ${name} -->`;
    const from = text.indexOf(begin);
    const to = text.indexOf(end);
    if (from < 0 || to < from) throw new Error(`the document lacks ${begin} ... ${end}`);
    return `${text.slice(0, from + begin.length)}\n${part()}\n${text.slice(to)}`;
  }, document);
}
