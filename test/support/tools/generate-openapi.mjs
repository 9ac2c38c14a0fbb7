// Writes server/openapi.json from the compiled server; `npm run generate` calls it, a test holds the file to it.
import { writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { ROOT } from '../prepare.mjs';

const require = createRequire(import.meta.url);
const { openApiDocument } = require(join(ROOT, 'server/dist/http/openapi/document.js'));
const { VERSION } = require(join(ROOT, 'server/dist/version.js'));

writeFileSync(join(ROOT, 'server/openapi.json'), `${JSON.stringify(openApiDocument(VERSION), null, 2)}\n`);
