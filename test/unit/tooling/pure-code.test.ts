/** Biome's rules for code that must run under a virtual clock, and for generated tests: each is shown to catch what it forbids. */
import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { folderForAll } from '../../support/processes/fresh-folder';

const ROOT = resolve(__dirname, '../../../..');

/** [rule, file, text of the file]. */
const VIOLATIONS: readonly (readonly [rule: string, file: string, text: string])[] = [
  ['plugin', 'server/src/commands/date-now.ts', 'export const now = Date.now();'],
  ['plugin', 'server/src/clients/new-date.ts', 'export const now = new Date();'],
  ['plugin', 'server/src/products/math-random.ts', 'export const chance = Math.random();'],
  ['plugin', 'shared/src/passed-on.ts', 'export const clock = { epochMs: Date.now };'],
  ['lint/style/noRestrictedGlobals', 'server/src/commands/timer.ts', 'setTimeout(() => undefined, 1);'],
  ['lint/style/noRestrictedGlobals', 'server/src/devices/interval.ts', 'setInterval(() => undefined, 1);'],
  ['lint/style/noRestrictedGlobals', 'server/src/tokens/performance.ts', 'export const now = performance.now();'],
  ['lint/style/noRestrictedGlobals', 'server/src/commands/hrtime.ts', 'export const now = process.hrtime.bigint();'],
  ['lint/style/noRestrictedGlobals', 'server/src/upkeep/timer.ts', 'setTimeout(() => undefined, 1);'],
  ['lint/style/noRestrictedGlobals', 'shared/src/around.ts', 'export const now = globalThis.Date.now();'],
  ['lint/style/noRestrictedGlobals', 'server/client/src/timer.ts', 'setTimeout(() => undefined, 1);'],
  ['lint/style/noRestrictedGlobals', 'device-agent/src/guard/timer.ts', 'setTimeout(() => undefined, 1);'],
  [
    'lint/style/noRestrictedImports',
    'server/src/tokens/bytes.ts',
    "import { randomBytes } from 'node:crypto';\nexport const secret = randomBytes(32);",
  ],
  [
    'lint/style/noRestrictedImports',
    'server/src/tokens/everything.ts',
    "import * as crypto from 'node:crypto';\nexport const secret = crypto.randomBytes(32);",
  ],
  ['plugin', 'test/unit/as-luck-has-it.test.ts', 'fc.assert(holds, { numRuns: 1_000 });'],
];

const LAWFUL = {
  'server/src/commands/lawful.ts':
    "import { createHash, type KeyObject } from 'node:crypto';\nexport const at = (epochMs: number, key: KeyObject): unknown[] => [new Date(epochMs).toISOString(), createHash('sha256'), key];",
  'server/src/storage/lawful.ts': 'export const opened = [Date.now(), process.pid, setTimeout(() => undefined, 1)];',
  'device-agent/src/platform/lawful.ts': 'export const timer = setTimeout(() => process.exit(), 1);',
  'device-agent/src/guard/main.ts': 'process.exit(1);',
  'server/client/src/platform.ts': 'export const after = [performance.now(), setTimeout(() => undefined, 1)];',
  'test/unit/lawful.test.ts': 'fc.assert(holds, generatedRounds(100, 1_000));',
  'shared/src/system/lawful.ts': 'export const now = (): number => Date.now();',
};

interface Finding {
  readonly category: string;
  readonly location: { readonly path: string };
}

const folder = folderForAll('rg-pure-');
let exitCode: number | null;
let findings: readonly Finding[];

beforeAll(() => {
  for (const file of ['biome.json', 'biome-pure.grit', 'biome-generated.grit'])
    copyFileSync(join(ROOT, file), join(folder, file));
  for (const [file, text] of [
    ...Object.entries(LAWFUL),
    ...VIOLATIONS.map(([, file, text]) => [file, text] as const),
  ]) {
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    writeFileSync(join(folder, file), `${text}\n`);
  }
  const bin = join(ROOT, 'node_modules/@biomejs/biome/bin/biome');
  const args = [bin, 'lint', '--vcs-enabled=false', '--reporter=json', 'server', 'shared', 'device-agent', 'test'];
  const { status, stdout } = spawnSync(process.execPath, args, { cwd: folder, encoding: 'utf8' });
  exitCode = status;
  findings = JSON.parse(stdout).diagnostics;
});

describe('the lint of pure code', () => {
  test.each(VIOLATIONS)('%s: catches %s: %s', (rule, file, _text) => {
    expect(findings.filter(({ location }) => location.path === file).map(({ category }) => category)).toContain(rule);
  });

  test('leaves pure functions, and the code at the edge, alone', () => {
    expect(findings.filter(({ location }) => location.path in LAWFUL)).toEqual([]);
  });

  test('fails when something is found', () => {
    expect(exitCode).not.toBe(0);
  });
});
