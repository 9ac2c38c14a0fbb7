import { DEVICE_REASONS } from '@relaygate/shared';
import { withParts } from '../chance/generated-parts';
import { closeTable } from './close-table';
import { messageSection } from './field-tables';
import { LINK_MESSAGES } from './messages';
import { numberTable } from './number-table';

/** The generated parts of shared/README.md by the name in their markers. */
const PARTS: Readonly<Record<string, () => string>> = {
  messages: () => LINK_MESSAGES.map(messageSection).join('\n\n'),
  numbers: numberTable,
  'close-codes': closeTable,
  reasons: reasonTable,
};

/** `readme` with each generated part as it should be. Throws when the markers of one are missing. */
export function withGeneratedParts(readme: string): string {
  return withParts(readme, PARTS);
}

/** Every reason that a device gives, in Markdown. */
function reasonTable(): string {
  const rows = Object.entries(DEVICE_REASONS).map(
    ([reason, { outcome, moved, meaning }]) => `| \`${outcome}\` | \`${reason}\` | ${meaning} | ${moved} |`,
  );
  return ['| outcome | reason | because | moved |', '|---|---|---|---|', ...rows].join('\n');
}
