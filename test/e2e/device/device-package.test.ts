/** The device's package, built twice in two folders by two people: what is in it, and that it is the same. */
import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { beforeAll, expect, test } from '@jest/globals';
import { folderForAll } from '../../support/processes/fresh-folder';
import { missingProgram } from '../../support/processes/missing-program';
import { describeWhere } from '../../support/processes/needs';
import { ROOT } from '../../support/processes/program';

const MISSING =
  missingProgram('dpkg-deb', 'dpkg') ??
  missingProgram('aarch64-linux-gnu-g++', 'g++-aarch64-linux-gnu') ??
  missingProgram('aarch64-linux-gnu-strip', 'binutils-aarch64-linux-gnu');
/** What a build takes from a working copy. */
const PARTS = ['hardware', 'shared', 'server/package.json', 'device-agent', 'package.json', 'package-lock.json'];
const TEXTS = ['.npmrc', 'CHANGELOG.md', 'LICENSE'];
const WHEN_S = 1_790_000_000;
const BUILDS_MS = 15 * 60_000;
const LIBRARY = 'usr/lib/relaygate';

const scratch = folderForAll('rg-packages-');
/** Where the first is unpacked. */
const root = join(scratch, 'root');
let files: Buffer[];

function build(name: string, umask: string, timeZone: string): string {
  const copy = join(scratch, name);
  for (const part of [...PARTS, ...TEXTS]) cpSync(join(ROOT, part), join(copy, part), { recursive: true });
  symlinkSync(join(ROOT, 'node_modules'), join(copy, 'node_modules'));
  // What a build that was cut off has left.
  mkdirSync(join(copy, 'dist'));
  writeFileSync(join(copy, 'dist/relaygate-device_0.1.0~20200101000000.0123456789_arm64.deb.new'), '');
  const env = { ...process.env, SOURCE_DATE_EPOCH: String(WHEN_S), TZ: timeZone };
  execFileSync('sh', ['-c', `umask ${umask}; exec "$0" hardware/package/build.mjs`, process.execPath], {
    cwd: copy,
    env,
    stdio: 'pipe',
  });
  const [deb = 'none', ...others] = readdirSync(join(copy, 'dist'));
  expect(others).toEqual([]);
  return join(copy, 'dist', deb);
}

const read = (path: string): string => readFileSync(join(root, path), 'utf8');

describeWhere(MISSING)('the package', () => {
  beforeAll(() => {
    const packages = [build('one', '022', 'UTC'), build('another/longer', '077', 'Asia/Tokyo')];
    files = packages.map((file) => readFileSync(file));
    execFileSync('dpkg-deb', ['-R', packages[0] ?? '', root]);
  }, BUILDS_MS);

  test('is the same, byte for byte', () => {
    expect(files[0]?.equals(files[1] ?? Buffer.alloc(0))).toBe(true);
  });

  test('says in its programs and in its changelog which version it is', () => {
    const [, version = 'none'] = /^Version: (.*)$/m.exec(read('DEBIAN/control')) ?? [];
    expect(version).toMatch(/^\d+\.\d+\.\d+[~+]20260921141320\.unknown$/);
    expect(read(`${LIBRARY}/device-agent/dist/runtime/version.js`)).toContain(`exports.VERSION = '${version}'`);
    const changelog = gunzipSync(readFileSync(join(root, 'usr/share/doc/relaygate-device/changelog.gz'))).toString();
    expect(changelog).toContain(`relaygate-device (${version}) unstable; urgency=medium\n\n  [ `);
    expect(changelog).toMatch(/\n -- The Relaygate project <[^>]+> {2}Mon, 21 Sep 2026 14:13:20 \+0000\n$/);
  });

  test('starts sockets before those who ask at them, and the guard last', () => {
    const [, restarted = ''] =
      /^for unit in (.*); do$/m.exec(read('DEBIAN/postinst').split('daemon-reload')[1] ?? '') ?? [];
    const units = restarted.split(' ');
    const shipped = readdirSync(join(root, 'usr/lib/systemd/system'));
    expect([...units].sort()).toEqual(shipped.sort());
    const sockets = units.filter((unit) => unit.endsWith('.socket'));
    expect(units.slice(0, sockets.length)).toEqual(sockets);
    expect(units.at(-1)).toBe('relaygate-guard.service');
  });

  test('has each document of the device that its README names', () => {
    const documents = [...read('usr/share/doc/relaygate-device/README.md').matchAll(/\]\(([A-Z-]+\.md)\)/g)];
    expect(documents.length).toBeGreaterThan(3);
    for (const [, name = ''] of documents) expect(read(`usr/share/doc/relaygate-device/${name}`)).toMatch(/^# /);
  });

  test('has the licence of everything that it ships, and of what is compiled into it', () => {
    const copyright = read('usr/share/doc/relaygate-device/copyright');
    const shipped = execFileSync('find', [join(root, LIBRARY, 'node_modules'), '-name', 'package.json'], {
      encoding: 'utf8',
    });
    const homes = shipped.matchAll(
      /\/(usr\/lib\/relaygate\/(?:.*\/)?node_modules\/(?:@[^/]+\/)?[^/]+)\/package\.json/g,
    );
    for (const [, home] of homes) expect(copyright).toContain(`\nFiles: ${home}/*\nCopyright: `);
    for (const name of ['Node.js is licensed', 'preact', 'nan', 'node-addon-api']) expect(copyright).toContain(name);
  });

  test('has the page, and of other packages no file that is not loaded', () => {
    expect(readdirSync(join(root, LIBRARY, 'device-agent/page/dist')).sort()).toEqual([
      'app.js',
      'index.html',
      'style.css',
    ]);
    const found = execFileSync('find', ['.', '-type', 'f', '-printf', '%P\\n'], {
      cwd: join(root, LIBRARY),
      encoding: 'utf8',
    });
    const all = found.trim().split('\n').sort();
    expect(
      all.filter((path) => /\.(ts|map|md|html|yml|h|cc|gyp)$|(^|\/)(tests?|examples?|bench\w*)(\/|$)/.test(path)),
    ).toEqual(['device-agent/page/dist/index.html', 'node_modules/bindings/LICENSE.md', 'node_modules/ms/license.md']);
    expect(all.filter((path) => path.endsWith('.node'))).toHaveLength(3);
  });
});
