/** What builds of package and image leave behind them. */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { ROOT } from '../../support/processes';

const MODULE = pathToFileURL(join(ROOT, 'hardware/package/workshop.mjs')).href;

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'rg-workshop-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

/** Lines with the module's exports, in a Node of their own; `folder` is their first argument. */
const scriptArgs = (lines: string): string[] => [
  '--input-type=module',
  '-e',
  `import { withScratch, writeWhole } from '${MODULE}'; const folder = process.argv[1];${lines}`,
  folder,
];

function run(lines: string): { out: string; err: string } {
  const { stdout, stderr } = spawnSync(process.execPath, scriptArgs(lines), { encoding: 'utf8' });
  return { out: stdout.trim(), err: stderr };
}

describe('a scratch folder', () => {
  const BUILD = `await withScratch(folder + '/rg-deb-', async (scratch) => { console.log(scratch);`;

  test('is gone when its build has ended, also by an error', () => {
    expect(run(`${BUILD} });`).out).toMatch(/\/rg-deb-\d+-\w+$/);
    expect(readdirSync(folder)).toEqual([]);
    expect(run(`${BUILD} throw new Error('no room'); });`).err).toContain('no room');
    expect(readdirSync(folder)).toEqual([]);
  });

  test.each(['SIGINT', 'SIGTERM', 'SIGKILL'] as const)(
    'of a build that %s has cut off goes with the next one; one at work stays',
    async (signal) => {
      const atWork = spawn(
        process.execPath,
        scriptArgs(`${BUILD} await new Promise((end) => setTimeout(end, 1e8)); });`),
      );
      const ended = once(atWork, 'close');
      try {
        const [line] = await once(atWork.stdout, 'data');
        const name = String(line)
          .trim()
          .slice(folder.length + 1);
        writeFileSync(join(folder, name, 'file'), '');
        mkdirSync(join(folder, 'rg-deb-not-ours'));
        run(`${BUILD} });`);
        expect(readdirSync(folder).sort()).toEqual([name, 'rg-deb-not-ours'].sort());
        atWork.kill(signal);
        await ended;
        run(`${BUILD} });`);
        expect(readdirSync(folder)).toEqual(['rg-deb-not-ours']);
      } finally {
        atWork.kill('SIGKILL');
      }
    },
  );
});

describe('what was built', () => {
  const BUILT = `import { writeFileSync } from 'node:fs';
    writeWhole(folder + '/relaygate-device_2_arm64.deb', (fresh) => { writeFileSync(fresh, 'new'); FAIL }, /^relaygate-device_.*_arm64\\.deb$/);`;
  const OLD = ['relaygate-device_0.1.0~20261122235518.4ae0144920_arm64.deb', 'relaygate-device_1_arm64.deb'];
  const OTHERS = ['mine.deb', 'relaygate_1_raspberry-pi.img'];
  beforeEach(() => {
    for (const name of [...OLD, ...OTHERS]) writeFileSync(join(folder, name), '');
  });

  test('takes the place of earlier builds, and says so', () => {
    const { err } = run(BUILT.replace('FAIL', ''));
    expect(readdirSync(folder).sort()).toEqual([...OTHERS, 'relaygate-device_2_arm64.deb'].sort());
    for (const name of OLD) expect(err).toContain(`Removed an earlier build: ${name}`);
  });

  test('takes nothing away where it fails', () => {
    run(BUILT.replace('FAIL', "throw new Error('no room');"));
    expect(readdirSync(folder).sort()).toEqual([...OTHERS, ...OLD].sort());
  });
});
