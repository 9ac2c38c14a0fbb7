/** What the programs of a fresh clone say before anything is built. */
import { spawnSync } from 'node:child_process';
import { cpSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, test } from '@jest/globals';
import { folderForAll } from '../../support/processes/fresh-folder';
import { ROOT } from '../../support/processes/program';

const WORKSPACES = ['server', 'device-agent', 'hardware'];
const PROGRAMS = WORKSPACES.flatMap((workspace) => {
  const { bin }: { bin: Record<string, string> } = JSON.parse(
    readFileSync(join(ROOT, workspace, 'package.json'), 'utf8'),
  );
  return Object.entries(bin).map(([name, file]) => [name, join(workspace, file)] as const);
});

const clone = folderForAll('rg-unbuilt-');
beforeAll(() => {
  for (const part of ['shared/built.js', ...WORKSPACES.map((workspace) => `${workspace}/bin`)]) {
    cpSync(join(ROOT, part), join(clone, part), { recursive: true });
  }
});

test.each(PROGRAMS)('%s says in one line what to run', (name, file) => {
  const { status, stdout, stderr } = spawnSync(process.execPath, [join(clone, file), '--help'], { encoding: 'utf8' });
  expect(stderr).toBe(`${name}: not-built: run "npm run prepare:tree" in ${clone} first.\n`);
  expect([status, stdout]).toEqual([1, '']);
});
