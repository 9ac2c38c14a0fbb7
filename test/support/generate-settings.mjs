// Writes the table of settings.json in device-agent/SETTINGS.md from the compiled schema; `npm run generate` calls it,
// test/unit/shared/settings-table.test.ts holds the document to it.
import { readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { ROOT } from './prepare.mjs';

const require = createRequire(import.meta.url);
const { withSettingsTable } = require(join(ROOT, 'test/dist/support/device-settings/document.js'));

const settings = join(ROOT, 'device-agent/SETTINGS.md');
writeFileSync(settings, withSettingsTable(readFileSync(settings, 'utf8')));
