import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { ROOT } from '../../support/processes';

test('an image that cannot be built names at once every Debian package that lacks for it and for the package in it', () => {
  const { status, stderr } = spawnSync(process.execPath, [join(ROOT, 'hardware/image/build.mjs')], {
    encoding: 'utf8',
    env: { PATH: '' },
  });
  expect(status).toBe(1);
  for (const name of ['g++-aarch64-linux-gnu', 'mmdebstrap', 'mtools', 'dpkg', 'make', 'kmod'])
    expect(stderr).toContain(` ${name}`);
  expect(stderr.trim().split('\n')).toHaveLength(1);
});
