import { withParts } from '../../chance/generated-parts';
import { settingsTable } from './settings-table';

/** device-agent/SETTINGS.md with the table of the settings as it should be. */
export function withSettingsTable(document: string): string {
  return withParts(document, { settings: settingsTable });
}
