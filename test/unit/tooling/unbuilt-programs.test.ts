/** What the programs of a fresh clone say before anything is built. */
import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { ROOT } from '../../support/processes/program';

const WORKSPACES = ['server', 'device-agent', 'hardware'];
const PROGRAMS = WORKSPACES.flatMap((workspace) => {
  const { bin }: { bin: Record<string, string> } = JSON.parse(
    readFileSync(join(ROOT, workspace, 'package.json'), 'utf8'),
  );
  return Object.entries(bin).map(([name, file]) => [name, join(workspace, file)] as const);
});

let clone: string;
beforeAll(() => {
  clone = realpathSync(mkdtempSync(join(tmpdir(), 'rg-unbuilt-')));
  for (const part of ['shared/built.js', ...WORKSPACES.map((workspace) => `${workspace}/bin`)]) {
    cpSync(join(ROOT, part), join(clone, part), { recursive: true });
  }
});
afterAll(() => rmSync(clone, { recursive: true }));

test.each(PROGRAMS)('%s says in one line what to run', (name, file) => {
  const { status, stdout, stderr } = spawnSync(process.execPath, [join(clone, file), '--help'], { encoding: 'utf8' });
  expect(stderr).toBe(`${name}: not-built: run "npm run prepare:tree" in ${clone} first.\n`);
  expect([status, stdout]).toEqual([1, '']);
});
