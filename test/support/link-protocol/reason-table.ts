import { DEVICE_REASONS } from '@relaygate/shared';

/** Every reason that a device gives, in Markdown. */
export function reasonTable(): string {
  const rows = Object.entries(DEVICE_REASONS).map(
    ([reason, { outcome, meaning }]) => `| \`${outcome}\` | \`${reason}\` | ${meaning} |`,
  );
  return ['| outcome | reason | because |', '|---|---|---|', ...rows].join('\n');
}
