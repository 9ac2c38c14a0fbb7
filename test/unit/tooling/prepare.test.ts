/** What `npm test` and `npm run demo` do before anything is installed. */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';

const PREPARE = pathToFileURL(resolve(__dirname, '../../../support/prepare.mjs')).href;

let root: string;

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'rg-prepare-'));
});

afterEach(() => rmSync(root, { recursive: true, force: true }));

function write(file: string, content: string | object = ''): void {
  mkdirSync(dirname(join(root, file)), { recursive: true });
  writeFileSync(join(root, file), typeof content === 'string' ? content : JSON.stringify(content));
}

/** Calls a function of prepare.mjs with the root of the fixture, in a Node of its own as `npm test` does. */
function call(name: string): unknown {
  const script = `import * as prepare from '${PREPARE}'; console.log(JSON.stringify(prepare.${name}(process.argv[1]) ?? null));`;
  const { status, stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', script, root], {
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(stderr);
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
