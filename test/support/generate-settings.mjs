// Writes the table of settings.json in device-agent/README.md from the compiled schema; `npm run generate` calls it,
// test/unit/shared/settings-table.test.ts holds the README to it.
import { readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { ROOT } from './prepare.mjs';

const require = createRequire(import.meta.url);
const { withSettingsTable } = require(join(ROOT, 'test/dist/support/device-settings/readme.js'));

const readme = join(ROOT, 'device-agent/README.md');
writeFileSync(readme, withSettingsTable(readFileSync(readme, 'utf8')));
