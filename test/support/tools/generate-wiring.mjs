// Writes hardware/wiring and the generated parts of hardware/README.md and WIRING.md from the board profiles; `npm run
// generate` calls it, test/unit/hardware/board-profiles.test.ts holds the files to it.
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { ROOT } from '../prepare.mjs';

const require = createRequire(import.meta.url);
const { wiringFiles } = require(join(ROOT, 'test/dist/support/device/board-wiring/header-picture.js'));
const { withBoardTable, withWiring } = require(join(ROOT, 'test/dist/support/device/board-wiring/documents.js'));

const folder = join(ROOT, 'hardware/wiring');
const files = wiringFiles();
mkdirSync(folder, { recursive: true });
for (const name of readdirSync(folder)) if (!files.has(name)) rmSync(join(folder, name));
for (const [name, text] of files) writeFileSync(join(folder, name), text);

for (const [name, generated] of [
  ['README.md', withBoardTable],
  ['WIRING.md', withWiring],
]) {
  const document = join(ROOT, 'hardware', name);
  writeFileSync(document, generated(readFileSync(document, 'utf8')));
}
