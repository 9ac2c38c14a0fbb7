// Writes the tables of the settings from their compiled schemas: of settings.json in device-agent/SETTINGS.md, of the server in
// server/README.md. `npm run generate` calls it, test/unit/shared/settings-table.test.ts and test/unit/server/settings-readme.test.ts
// hold the documents to it.
import { readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { ROOT } from '../prepare.mjs';

const require = createRequire(import.meta.url);
const { withSettingsTable } = require(join(ROOT, 'test/dist/support/device/settings-table.js'));
const { withServerSettings } = require(join(ROOT, 'test/dist/support/server/settings-table.js'));

const written = [
  ['device-agent/SETTINGS.md', withSettingsTable],
  ['server/README.md', withServerSettings],
];
for (const [name, withTable] of written) {
  const file = join(ROOT, name);
  writeFileSync(file, withTable(readFileSync(file, 'utf8')));
}
