/** What `npm test` and `npm run demo` do before anything is installed. */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, test } from '@jest/globals';
import { folderForEach } from '../../support/processes/fresh-folder';

const SUPPORT = resolve(__dirname, '../../../support');

const root = folderForEach('rg-prepare-');

function write(file: string, content: string | object = ''): void {
  mkdirSync(dirname(join(root, file)), { recursive: true });
  writeFileSync(join(root, file), typeof content === 'string' ? content : JSON.stringify(content));
}

/** What `script` prints, in a Node of its own as `npm test` has; `root` is the fixture, `modules` are under test/support. */
function inNode(script: string, env: Record<string, string> = {}): { stdout: string; stderr: string } {
  const imports = ['prepare', 'prepare/packages', 'prepare/steps'].map(
    (file, n) => `import * as m${n} from '${pathToFileURL(join(SUPPORT, `${file}.mjs`)).href}';`,
  );
  const head = `${imports.join('')} const modules = { ...m0, ...m1, ...m2 }; const root = process.argv[1];`;
  const args = ['--input-type=module', '-e', `${head} ${script}`, root];
  const { status, stdout, stderr } = spawnSync(process.execPath, args, {
    encoding: 'utf8',
    env: { ...process.env, ...env },
  });
  if (status !== 0) throw new Error(stderr);
  return { stdout, stderr };
}

/** Calls a function with the root of the fixture. */
function call(name: string, ...args: string[]): unknown {
  const { stdout } = inNode(`console.log(JSON.stringify(modules.${name}(root, ...${JSON.stringify(args)}) ?? null));`);
  return JSON.parse(stdout);
}

const LEFT_PAD = { version: '1.3.0', integrity: 'sha512-a' };

/** A working copy in which left-pad is installed as package-lock.json says. */
function writeInstalled(): void {
  write('package-lock.json', { packages: { '': {}, 'node_modules/left-pad': LEFT_PAD } });
  write('node_modules/.package-lock.json', { packages: { 'node_modules/left-pad': LEFT_PAD } });
  write('node_modules/left-pad/index.js');
}

describe('whether to install', () => {
  test('nothing is installed when everything is as package-lock.json says, whatever the file times', () => {
    writeInstalled();
    write('package-lock.json', { packages: { '': {}, 'node_modules/left-pad': LEFT_PAD } });
    expect(call('whyInstall')).toBeNull();
  });

  test('a fresh clone is installed', () => {
    write('package-lock.json', { packages: { '': {}, 'node_modules/left-pad': LEFT_PAD } });
    expect(call('whyInstall')).toBe('none are here yet');
  });

  test('a package that package-lock.json has in another version is a reason', () => {
    writeInstalled();
    write('package-lock.json', { packages: { '': {}, 'node_modules/left-pad': { ...LEFT_PAD, version: '1.4.0' } } });
    expect(call('whyInstall')).toBe('left-pad has changed');
  });

  test('a package that is new in package-lock.json is a reason', () => {
    writeInstalled();
    const packages = { '': {}, 'node_modules/left-pad': LEFT_PAD, 'node_modules/@a/b': LEFT_PAD };
    write('package-lock.json', { packages });
    expect(call('whyInstall')).toBe('@a/b is missing');
  });

  test('a package whose folder was deleted is a reason', () => {
    writeInstalled();
    rmSync(join(root, 'node_modules/left-pad'), { recursive: true });
    expect(call('whyInstall')).toBe('left-pad is missing');
  });

  test('a binary for another machine is none', () => {
    writeInstalled();
    const packages = {
      '': {},
      'node_modules/left-pad': LEFT_PAD,
      'node_modules/mac-only': { ...LEFT_PAD, optional: true },
    };
    write('package-lock.json', { packages });
    expect(call('whyInstall')).toBeNull();
  });
});

/** Of a repository whose demo needs express and esbuild, and its tests jest. */
const LOCKED = {
  '': { devDependencies: { jest: '1' } },
  ...Object.fromEntries(
    ['shared', 'server', 'device-agent', 'hardware'].map((name) => [
      `node_modules/@relaygate/${name}`,
      { resolved: name, link: true },
    ]),
  ),
  shared: { version: '1' },
  server: { version: '1', dependencies: { '@relaygate/shared': '1', express: '1' } },
  'device-agent': { version: '1', devDependencies: { esbuild: '1' } },
  hardware: { version: '1', dependencies: { qrcode: '1' } },
  'node_modules/express': { version: '1', dependencies: { debug: '1' }, devDependencies: { mocha: '1' } },
  'node_modules/express/node_modules/debug': { version: '1' },
  'node_modules/debug': { version: '2' },
  'node_modules/mocha': { version: '1' },
  'node_modules/esbuild': { version: '1', optionalDependencies: { '@esbuild/mac': '1' } },
  'node_modules/@esbuild/mac': { version: '1', optional: true },
  'node_modules/jest': { version: '1' },
  'node_modules/qrcode': { version: '1' },
};
const DEMO_ROWS = ['@relaygate/shared', '@relaygate/server', '@relaygate/device-agent', 'express', 'esbuild'].map(
  (name) => `node_modules/${name}`,
);

function writeWithInstalled(paths: string[]): void {
  write('package-lock.json', { packages: LOCKED });
  const all = [...paths, 'shared', 'server', 'device-agent', 'node_modules/express/node_modules/debug'];
  for (const path of all) write(`${path}/package.json`, {});
  const rows = Object.entries(LOCKED).filter(([path]) => all.includes(path));
  write('node_modules/.package-lock.json', { packages: Object.fromEntries(rows) });
}

describe('what the demo installs', () => {
  test('is what its workspaces lead to, and no tool of the tests', () => {
    writeWithInstalled(DEMO_ROWS);
    expect(call('whyInstall', 'demo')).toBeNull();
    expect(call('isDemoOnly')).toBe(true);
  });

  test('is not there when one of these packages, or what such a one needs, is missing', () => {
    writeWithInstalled(DEMO_ROWS.slice(0, -1));
    expect(call('whyInstall', 'demo')).toBe('esbuild is missing');
    writeWithInstalled(DEMO_ROWS);
    rmSync(join(root, 'node_modules/express/node_modules/debug'), { recursive: true });
    expect(call('whyInstall', 'demo')).toBe('debug is missing');
  });

  test('leaves something for the tests to install', () => {
    writeWithInstalled(DEMO_ROWS);
    expect(call('whyInstall')).toBe('@relaygate/hardware is missing');
  });

  test('is no measure where the tests have installed theirs', () => {
    writeWithInstalled([...DEMO_ROWS, 'node_modules/jest']);
    expect(call('isDemoOnly')).toBe(false);
  });
});

describe('an installation', () => {
  /** Something that npm may do, in place of npm: it writes `lines` to stderr, and what it was asked for into a file. */
  function fakeNpm(lines: string[], status: number): Record<string, string> {
    const asked = JSON.stringify(join(root, 'asked'));
    write(
      'npm.js',
      `require('node:fs').writeFileSync(${asked}, process.argv.slice(2).join(' '));
       for (const line of ${JSON.stringify(lines)}) console.error(line);
       process.exitCode = ${status};`,
    );
    return { npm_execpath: join(root, 'npm.js') };
  }
  const install = (scope: string) =>
    `await modules.orExplain(async () => {
      const shown = [];
      await modules.installPackages(root, '${scope}', (text) => shown.push(text));
      console.log(shown.join('; '));
    });
    process.exitCode = 0;`;
  const FETCHES = ['npm http fetch GET 200 https://r/a 4ms', 'npm http fetch GET 200 https://r/a/-/a-1.tgz 4ms'];
  const asked = (): string => readFileSync(join(root, 'asked'), 'utf8');

  test('shows how many packages it has fetched', () => {
    write('package-lock.json', { packages: LOCKED });
    expect(inNode(install('demo'), fakeNpm([...FETCHES, ...FETCHES], 0)).stdout).toBe('1 fetched; 2 fetched\n');
    expect(asked()).toMatch(
      /^ci --workspace=@relaygate\/shared --workspace=@relaygate\/server --workspace=@relaygate\/device-agent /,
    );
  });

  test('for the tests keeps what the demo has installed and compiled', () => {
    writeWithInstalled(DEMO_ROWS);
    inNode(install('all'), fakeNpm([], 0));
    expect(asked()).toMatch(/^install --no-save --include=dev /);
    writeWithInstalled([...DEMO_ROWS, 'node_modules/jest']);
    inNode(install('all'), fakeNpm([], 0));
    expect(asked()).toMatch(/^ci --include=dev /);
  });

  test.each([
    ['npm error code EAI_AGAIN', /registry cannot be reached.*HTTPS_PROXY.*run the same command again/],
    ['npm error code ENOSPC', /disk is full: make room/],
    ['npm error code EACCES', /must belong to the user/],
  ])('that fails with %s says what to do, behind what npm said', (line, advice) => {
    write('package-lock.json', { packages: LOCKED });
    const { stderr } = inNode(install('demo'), fakeNpm([...FETCHES, line], 1));
    const [first, second, third] = stderr.split('\n');
    expect([first, second]).toEqual([line, 'npm ci failed with exit code 1; its output is above.']);
    expect(third).toMatch(advice);
  });
});

describe('the steps', () => {
  /** What is written for one step of 2 s by the step's own clock, which the script moves. */
  const steps = (isTTY: boolean, ending: string): string =>
    inNode(`
      let now = 0;
      Date.now = () => now;
      let tick;
      globalThis.setInterval = (run) => { tick = run; };
      const written = [];
      const out = { isTTY: ${isTTY}, columns: 40, write: (text) => written.push(text) };
      const steps = new modules.Steps(3, out);
      steps.pass();
      await steps.run('Build', async (show) => {
        show('half');
        for (; now < 31_000; now += 1_000) tick();
        ${ending}
      }).catch(() => {});
      steps.announce('Start');
      console.log(JSON.stringify(written));`).stdout;

  test('say in a log which of how many is at work, and now and then how far it is', () => {
    expect(JSON.parse(steps(false, "return 'all';"))).toEqual([
      '[2/3] Build ...\n',
      '[2/3] Build: half, 15 s\n',
      '[2/3] Build: half, 30 s\n',
      '[2/3] Build: done (all), 31 s\n',
      '[3/3] Start ...\n',
    ]);
  });

  test('write one line anew on a terminal, and leave it where they fail', () => {
    const written = JSON.parse(steps(true, "throw new Error('no');"));
    expect(written.slice(0, 3)).toEqual([
      '[2/3] Build ...',
      '\r\x1b[2K[2/3] Build: half, 0 s',
      '\r\x1b[2K[2/3] Build: half, 1 s',
    ]);
    expect(written.slice(-2)).toEqual(['\n', '[3/3] Start ...\n']);
  });
});

describe('compiled files whose source was deleted', () => {
  test('are removed, so that a deleted test does not go on running', () => {
    for (const ending of ['.js', '.js.map', '.d.ts']) write(`test/dist/unit/gone.test${ending}`);
    call('removeStaleOutput');
    expect(existsSync(join(root, 'test/dist/unit/gone.test.js'))).toBe(false);
  });

  test('stay while the source is there', () => {
    write('server/src/http/app.ts');
    for (const ending of ['.js', '.js.map', '.d.ts']) write(`server/dist/http/app${ending}`);
    call('removeStaleOutput');
    expect(existsSync(join(root, 'server/dist/http/app.js'))).toBe(true);
  });

  test('stay when tsc has not written them', () => {
    write('server/dist/pages/console.js');
    call('removeStaleOutput');
    expect(existsSync(join(root, 'server/dist/pages/console.js'))).toBe(true);
  });
});
