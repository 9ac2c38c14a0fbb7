/** What an application gets with the package. */
import { execFileSync, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, test } from '@jest/globals';
import { buildSync } from 'esbuild';
import { ROOT } from '../../support/processes/program';

const FOLDER = join(ROOT, 'server/client');
const MAX_BYTES = 8_000;
const textOf = (file: string): string => readFileSync(join(ROOT, file), 'utf8');

describe('the package', () => {
  test('is smaller than 8,000 bytes, minified and gzipped', () => {
    const entryPoints = [join(FOLDER, 'dist/index.mjs')];
    const [bundle] = buildSync({ entryPoints, bundle: true, minify: true, format: 'esm', write: false }).outputFiles;
    const bytes = gzipSync(bundle?.contents ?? '').length;
    process.stdout.write(`the client has ${bytes} bytes\n`);
    expect(bytes).toBeGreaterThan(1_000);
    expect(bytes).toBeLessThan(MAX_BYTES);
  });

  test('needs no other, has the version of the server, and may be published', () => {
    const { version } = JSON.parse(textOf('server/package.json'));
    const client = JSON.parse(textOf('server/client/package.json'));
    expect(client).toMatchObject({ name: '@relaygate/client', version, license: 'MIT' });
    expect(Object.keys(client).filter((name) => /dependencies|private/i.test(name))).toEqual([]);
    expect(textOf('server/client/LICENSE')).toBe(textOf('LICENSE'));
  });

  test('holds the built files, their types, an example and what one has to read', () => {
    const args = ['pack', '--dry-run', '--json', '--ignore-scripts', '--offline'];
    const [packed] = JSON.parse(execFileSync('npm', args, { cwd: FOLDER, encoding: 'utf8' }));
    const names: string[] = packed.files.map(({ path }: { path: string }) => path);
    const modules = names.filter((name) => /^dist\/[a-z-]+\.(js|d\.ts)$/.test(name));
    const others = ['LICENSE', 'README.md', 'dist/index.d.mts', 'dist/index.mjs', 'example.mjs', 'package.json'];
    expect(names.filter((name) => !modules.includes(name)).sort()).toEqual(others);
    expect(modules).toEqual(expect.arrayContaining(['dist/index.js', 'dist/index.d.ts']));
    expect(modules.filter((name) => name.endsWith('.js'))).toHaveLength(modules.length / 2);
  });

  test.each([
    ['--input-type=module', "import { RelaygateClient, RelaygateError } from '@relaygate/client';"],
    ['--input-type=commonjs', "const { RelaygateClient, RelaygateError } = require('@relaygate/client');"],
  ])('is there for %s', (type, load) => {
    const script = `${load} console.log(new RelaygateError('network') instanceof Error, RelaygateClient.name);`;
    const { stdout, stderr } = spawnSync(process.execPath, [type, '-e', script], { cwd: ROOT, encoding: 'utf8' });
    expect([stdout, stderr]).toEqual(['true RelaygateClient\n', '']);
  });

  test('runs in a browser: no name of Node is in it', () => {
    const text = textOf('server/client/dist/index.mjs');
    expect(text).not.toMatch(/\b(require|process|Buffer|setImmediate)\b|node:|^import /m);
  });
});
