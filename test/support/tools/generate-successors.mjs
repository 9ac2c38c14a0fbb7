// Writes the table of successors in server/API.md from the compiled operations. `npm run generate` calls it,
// test/integration/openapi.test.ts holds the document to it.
import { readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { ROOT } from '../prepare.mjs';

const { withSuccessors } = createRequire(import.meta.url)(join(ROOT, 'test/dist/support/server/successor-table.js'));
const file = join(ROOT, 'server/API.md');
writeFileSync(file, withSuccessors(readFileSync(file, 'utf8')));
