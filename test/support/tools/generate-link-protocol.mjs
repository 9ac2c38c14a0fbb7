// Writes shared/schemas and the generated parts of shared/README.md from the compiled schemas; `npm run generate` calls
// it, test/unit/shared/link-protocol.test.ts holds the files to it.
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { ROOT } from '../prepare.mjs';

const require = createRequire(import.meta.url);
const { schemaFiles } = require(join(ROOT, 'test/dist/support/link-protocol/schema-files.js'));
const { withGeneratedParts } = require(join(ROOT, 'test/dist/support/link-protocol/readme.js'));

const folder = join(ROOT, 'shared/schemas');
const files = schemaFiles();
mkdirSync(folder, { recursive: true });
for (const name of readdirSync(folder)) if (!files.has(name)) rmSync(join(folder, name));
for (const [name, text] of files) writeFileSync(join(folder, name), text);

const readme = join(ROOT, 'shared/README.md');
writeFileSync(readme, withGeneratedParts(readFileSync(readme, 'utf8')));
