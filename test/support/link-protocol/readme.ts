import { closeTable } from './close-table';
import { messageSection } from './field-tables';
import { LINK_MESSAGES } from './messages';
import { numberTable } from './number-table';

/** The generated parts of shared/README.md by the name in their markers. */
const PARTS: Readonly<Record<string, () => string>> = {
  messages: () => LINK_MESSAGES.map(messageSection).join('\n\n'),
  numbers: numberTable,
  'close-codes': closeTable,
};

/** `readme` with each generated part as it should be. Throws when the markers of one are missing. */
export function withGeneratedParts(readme: string): string {
  return Object.entries(PARTS).reduce((text, [name, part]) => {
    const begin = `<!-- generated: ${name} -->`;
    const end = `<!-- end: ${name} -->`;
    const from = text.indexOf(begin);
    const to = text.indexOf(end);
    if (from < 0 || to < from) throw new Error(`shared/README.md lacks ${begin} ... ${end}`);
    return `${text.slice(0, from + begin.length)}\n${part()}\n${text.slice(to)}`;
  }, readme);
}
