/** What builds of package and image leave behind them. */
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdirSync, readdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { beforeEach, describe, expect, test } from '@jest/globals';
import { folderForEach } from '../../support/processes/fresh-folder';
import { describeWhere } from '../../support/processes/needs';
import { ROOT } from '../../support/processes/program';

const urlOf = (module: string) => pathToFileURL(join(ROOT, 'hardware/package', module)).href;
const IMPORTS = `import { orExplain, run, withScratch, writeWhole } from '${urlOf('workshop.mjs')}';
  import { asOnlyBuild } from '${urlOf('build-lock.mjs')}';
  import { earlierBuilds } from '${urlOf('version.mjs')}';`;
const DAY_MS = 24 * 60 * 60 * 1000;
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGKILL'] as const;
const FOREVER = 'await new Promise((end) => setTimeout(end, 1e8));';

const folder = folderForEach('rg-workshop-');

/** Lines with the modules' exports, in a Node of their own; `folder` is their first argument. */
const scriptArgs = (lines: string): string[] => [
  '--input-type=module',
  '-e',
  `${IMPORTS} const folder = process.argv[1];${lines}`,
  folder,
];

function run(lines: string): { status: number | null; out: string; err: string } {
  const { status, stdout, stderr } = spawnSync(process.execPath, scriptArgs(lines), { encoding: 'utf8' });
  return { status, out: stdout.trim(), err: stderr };
}

/** Runs `meanwhile` while a build is at work that has printed its first line, and then ends the build by a signal. */
async function besideBuild(lines: string, signal: NodeJS.Signals, meanwhile: (line: string) => void): Promise<void> {
  const build = spawn(process.execPath, scriptArgs(lines));
  const ended = once(build, 'close');
  try {
    const [line] = await once(build.stdout, 'data');
    meanwhile(String(line).trim());
    build.kill(signal);
    await ended;
  } finally {
    build.kill('SIGKILL');
  }
}

describe('a build', () => {
  const build = (work: string): string => `await orExplain(() => asOnlyBuild(async () => { ${work} }, folder));`;

  test.each(SIGNALS)('is the only one of its clone until %s ends it', async (signal) => {
    await besideBuild(build(`console.log('first'); ${FOREVER}`), signal, () => {
      const { status, out, err } = run(build("console.log('second');"));
      expect({ status, out }).toEqual({ status: 1, out: '' });
      expect(err).toMatch(/^Another build .* is under way in this clone: wait for its end, or stop it\.\n$/);
    });
    expect(run(build("console.log('third');"))).toEqual({ status: 0, out: 'third', err: '' });
  });

  test('is the only one also after its end, until the program that it ran has ended', async () => {
    const fifo = join(folder, 'fifo');
    execFileSync('mkfifo', [fifo]);
    const work = `process.stdout.write('runs\\n'); run('sh', ['-c', 'echo begun >"$0"; read line <"$0"', '${fifo}']);`;
    await besideBuild(build(work), 'SIGKILL', () => expect(readFileSync(fifo, 'utf8')).toBe('begun\n'));
    const second = run(build("console.log('second');"));
    writeFileSync(fifo, 'end\n');
    expect(second).toMatchObject({ status: 1, out: '', err: expect.stringContaining('Another build') });
    execFileSync('sh', ['-c', 'flock --timeout 30 "$0" true', join(folder, 'build.lock')]);
    expect(run(build("console.log('third');")).out).toBe('third');
  });

  describeWhere(process.getuid?.() === 0 ? undefined : 'only root can act as another user')('as another user', () => {
    test.each([
      ['lock', 'own', '/own'],
      ['folder', 'no', ''],
    ])('names the owner of the %s that it may not touch, and what to do', (_what, name, owned) => {
      chmodSync(folder, 0o755);
      mkdirSync(join(folder, 'own'));
      writeFileSync(join(folder, 'own/build.lock'), '', { mode: 0o600 });
      chmodSync(join(folder, 'own'), 0o755);
      const nobody = 'process.setgid(65534); process.setuid(65534);';
      const { err } = run(`${nobody} await orExplain(() => asOnlyBuild(async () => {}, folder + '/${name}'));`);
      expect(err).toMatch(
        new RegExp(
          `^.*/${name}/build\\.lock cannot be locked: EACCES.* belongs to root: sudo chown -R "\\$\\(id -nu\\)" ${folder}${owned}\n$`,
        ),
      );
    });
  });

  test('says what the system says where it cannot be the only one, and blames nobody', () => {
    writeFileSync(join(folder, 'file'), '');
    const { status, err } = run(`await orExplain(() => asOnlyBuild(async () => {}, folder + '/file'));`);
    expect({ status, err }).toEqual({
      status: 1,
      err: expect.stringMatching(/^.*\/file\/build\.lock cannot be locked: EEXIST.*\n$/),
    });
    expect(err).not.toMatch(/user|belongs/);
  });

  test('lets the next one begin when it has failed', () => {
    const work = "throw new Error('no room');";
    const next = `asOnlyBuild(async () => console.log('next'), folder)`;
    const { out } = run(`await asOnlyBuild(async () => { ${work} }, folder).catch(() => ${next});`);
    expect(out).toBe('next');
  });
});

describe('a scratch folder', () => {
  const scratch = (work: string, clone = 'one'): string =>
    `await withScratch(folder, 'rg-deb', async (scratch) => { console.log(scratch); ${work} }, folder + '/${clone}');`;
  const left = (): string[] => readdirSync(folder).filter((name) => name.startsWith('rg-deb'));
  beforeEach(() => {
    for (const clone of ['one', 'two']) mkdirSync(join(folder, clone));
  });

  test('is gone when its build has ended, also by an error', () => {
    expect(run(scratch('')).out).toMatch(/\/rg-deb-[\w-]+$/);
    expect(left()).toEqual([]);
    expect(run(scratch("throw new Error('no room');")).err).toContain('no room');
    expect(left()).toEqual([]);
  });

  test.each(SIGNALS)('of a build that %s has cut off goes with the next one of its clone', async (signal) => {
    await besideBuild(scratch(FOREVER), signal, (path) => writeFileSync(join(path, 'file'), ''));
    run(scratch('', 'two'));
    expect(left()).toHaveLength(1);
    run(scratch(''));
    expect(left()).toEqual([]);
  });

  test('of any clone goes after a day, in which its build has ended', () => {
    const dayAgo = new Date(Date.now() - DAY_MS);
    for (const name of ['rg-deb-old', 'rg-deb-new']) mkdirSync(join(folder, name));
    utimesSync(join(folder, 'rg-deb-old'), dayAgo, dayAgo);
    run(scratch(''));
    expect(left()).toEqual(['rg-deb-new']);
  });
});

describe('what was built', () => {
  const BUILT = `import { writeFileSync } from 'node:fs';
    writeWhole(folder + '/relaygate-device_2.0.0_arm64.deb', (fresh) => { writeFileSync(fresh, 'new'); FAIL }, earlierBuilds('relaygate-device', 'arm64.deb'));`;
  const OLD = [
    'relaygate-device_0.1.0~20261122235518.4ae0144920_arm64.deb',
    'relaygate-device_0.1.0~20261122235518.4ae0144920+changed20261123043104_arm64.deb',
    'relaygate-device_0.1.0+20261122235518.unknown_arm64.deb',
    'relaygate-device_1.0.0_arm64.deb',
  ];
  // What people put beside it: among them their own packages, and cards that they have prepared.
  const OTHERS = [
    ...['mine.deb', 'relaygate-device_gate_arm64.deb', 'relaygate-device_1.0.0_gate_arm64.deb'],
    ...['relaygate-device_1.0.0-gate_arm64.deb', 'relaygate_1.0.0_raspberry-pi.img'],
  ];
  const NEW = 'relaygate-device_2.0.0_arm64.deb';
  beforeEach(() => {
    for (const name of [...OLD, ...OTHERS]) writeFileSync(join(folder, name), '');
  });

  test('takes the place of earlier builds, and says so', () => {
    const { err } = run(BUILT.replace('FAIL', ''));
    expect(readdirSync(folder).sort()).toEqual([...OTHERS, NEW].sort());
    for (const name of OLD) expect(err).toContain(`Removed an earlier build: ${name}`);
  });

  test('takes the place of what builds that were cut off have left, and of nothing else', () => {
    const cut = [`${NEW}.new`, 'relaygate-device_1.0.0_arm64.deb.new'];
    const others = ['mine.deb.new', 'relaygate-device_gate_arm64.deb.new'];
    for (const name of [...cut, ...others]) writeFileSync(join(folder, name), '');
    run(BUILT.replace('FAIL', ''));
    expect(readdirSync(folder).sort()).toEqual([...OTHERS, ...others, NEW].sort());
  });

  test('takes nothing away where it fails', () => {
    run(BUILT.replace('FAIL', "throw new Error('no room');"));
    expect(readdirSync(folder).sort()).toEqual([...OTHERS, ...OLD].sort());
  });
});
