import { withParts } from '../generated-parts';
import { settingsTable } from './settings-table';

/** device-agent/README.md with the table of the settings as it should be. */
export function withSettingsTable(readme: string): string {
  return withParts(readme, { settings: settingsTable });
}
