/** Each test file is in one part of test/support/tools/suites.mjs, so that a full run plays it once. */
import { execFileSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join, sep } from 'node:path';
import { pathToFileURL } from 'node:url';
import { beforeAll, expect, test } from '@jest/globals';

const ROOT = join(__dirname, '../../../..');

interface Part {
  name: string;
  files?: string[];
  without?: string[];
  inFull?: boolean;
}

let parts: Part[];
let alone: Part[];
beforeAll(() => {
  const suites = pathToFileURL(join(ROOT, 'test/support/tools/suites.mjs')).href;
  const script = `import { IMAGE, PARTS, QUIET } from '${suites}'; console.log(JSON.stringify([PARTS, [IMAGE, QUIET]]));`;
  const printed = execFileSync(process.execPath, ['--input-type=module', '-e', script], { encoding: 'utf8' });
  [parts, alone] = JSON.parse(printed);
});

/** As `e2e/cli/archives`. */
function testFiles(): string[] {
  return readdirSync(join(ROOT, 'test'), { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.test.ts'))
    .map((path) => path.replaceAll(sep, '/').replace(/\.test\.ts$/, ''));
}

function plays({ name, files, without = [] }: Part, path: string): boolean {
  if (!path.startsWith(`${name}/`)) return false;
  const file = path.slice(name.length + 1);
  return files ? files.includes(file) : !without.includes(file);
}

test('each test file is played by one part', () => {
  const all = [...parts, ...alone];
  const playedBy = testFiles().map((path) => [path, all.filter((part) => plays(part, path)).length]);
  expect(playedBy.filter(([, count]) => count !== 1)).toEqual([]);
});

test('each file that a part names is there', () => {
  const named = parts.flatMap(({ name, files = [], without = [] }) =>
    [...files, ...without].map((file) => `${name}/${file}`),
  );
  const known = testFiles();
  expect(named.length).toBeGreaterThan(0);
  expect(named.filter((path) => !known.includes(path))).toEqual([]);
});

test('npm test plays an end-to-end way', () => {
  expect(parts.filter(({ name, inFull }) => name === 'e2e' && !inFull).length).toBeGreaterThan(0);
});
