import { SETTINGS } from '@relaygate/server/settings';
import { withParts } from '../chance/generated-parts';

/** server/README.md with the table of the settings as it should be. */
export function withServerSettings(readme: string): string {
  return withParts(readme, { settings: serverSettingsTable });
}

/** A line for each setting, in the order of its schema. */
function serverSettingsTable(): string {
  const rows = SETTINGS.map(({ variable, name, default: preset, description }) => {
    return `| \`${variable}\` | \`${name}\` | ${preset === undefined ? '' : `\`${preset}\``} | ${description} |`;
  });
  return ['| environment | file | default | what it may be |', '|---|---|---|---|', ...rows].join('\n');
}
