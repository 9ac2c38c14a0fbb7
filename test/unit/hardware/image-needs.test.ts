import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { ROOT } from '../../support/processes/program';

const moduleUrl = (code: string) => `data:text/javascript;base64,${Buffer.from(code).toString('base64')}`;
/** A build that gets as far as its lock fails there: another one of this clone may be at work. */
const HOOKS = moduleUrl(`export async function resolve(name, context, next) {
  if (name.endsWith('/file-lock')) throw new Error('locked');
  return next(name, context);
}`);
const NO_LOCK = moduleUrl(`import { register } from 'node:module'; register('${HOOKS}');`);

function build(kind: string, args: string[] = []): { status: number | null; stderr: string } {
  const { status, stderr } = spawnSync(
    process.execPath,
    ['--import', NO_LOCK, join(ROOT, 'hardware', kind, 'build.mjs'), ...args],
    { encoding: 'utf8', env: { PATH: '' } },
  );
  return { status, stderr: stderr.trim() };
}

test.each([
  ['image', ['g++-aarch64-linux-gnu', 'mmdebstrap', 'mtools', 'dpkg', 'make', 'kmod']],
  ['package', ['g++-aarch64-linux-gnu', 'dpkg', 'make']],
])(
  'the %s that cannot be built names at once every Debian package that lacks for it and what is in it',
  (kind, names) => {
    const { status, stderr } = build(kind);
    expect(status).toBe(1);
    for (const name of names) expect(stderr).toContain(` ${name}`);
    expect(stderr.split('\n')).toHaveLength(1);
  },
);

test('a wrong option of an image is said with those that there are', () => {
  expect(build('image', ['--packages', 'x']).stderr).toMatch(
    /--packages[\s\S]*\nUsage: sudo npm run image -- \[--package FILE\]/,
  );
});
