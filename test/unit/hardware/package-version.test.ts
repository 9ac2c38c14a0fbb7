/** Versions of the Debian package, in the order in which dpkg installs them. */
import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { beforeEach, describe, expect, test } from '@jest/globals';
import { folderForEach } from '../../support/processes/fresh-folder';
import { missingProgram } from '../../support/processes/missing-program';
import { describeWhere } from '../../support/processes/needs';
import { ROOT } from '../../support/processes/program';

const MODULE = pathToFileURL(join(ROOT, 'hardware/package/version.mjs')).href;
const WHEN_S = Date.UTC(2026, 10, 22, 16, 42, 49) / 1000;

interface PackageVersion {
  version: string;
  epochS: number;
}

const root = folderForEach('rg-version-');
beforeEach(() => {
  put('device-agent/package.json', '{"version":"1.2.0"}');
  put('CHANGELOG.md', '# Changelog\n\n## Unreleased\n### Added\n- A thing.\n');
});

function put(path: string, text: string): void {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), text);
}

/** As the build asks, in a Node of its own: what it is given is a module. */
function versionOf(folder = root, env: Record<string, string> = {}): PackageVersion {
  const script = `import { packageVersion } from '${MODULE}'; console.log(JSON.stringify(packageVersion(process.argv[1])));`;
  const { status, stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', script, folder], {
    encoding: 'utf8',
    env: { ...process.env, SOURCE_DATE_EPOCH: '', ...env },
  });
  if (status !== 0) throw new Error(stderr);
  return JSON.parse(stdout);
}

function git(...args: string[]): string {
  return gitAt(WHEN_S, ...args);
}

function gitAt(timeS: number, ...args: string[]): string {
  const date = `${timeS} +0000`;
  const author = ['-c', 'user.name=a', '-c', 'user.email=a@example.invalid'];
  const env = { ...process.env, GIT_AUTHOR_DATE: date, GIT_COMMITTER_DATE: date, GIT_CONFIG_GLOBAL: '/dev/null' };
  return execFileSync('git', ['-C', root, ...author, ...args], { env, encoding: 'utf8', stdio: 'pipe' }).trim();
}

function commit(timeS = WHEN_S): void {
  git('init', '--quiet');
  git('add', '.');
  gitAt(timeS, 'commit', '--quiet', '--allow-empty', '--message', 'a change');
}

const isNewer = (one: string, other: string): boolean =>
  spawnSync('dpkg', ['--compare-versions', one, 'gt', other]).status === 0;

describe('the version of a package', () => {
  test('is that of package.json where the commit has its tag', () => {
    commit();
    git('tag', 'v1.2.0');
    expect(versionOf()).toEqual({ version: '1.2.0', epochS: WHEN_S });
  });

  test('has the time and the hash of any other commit', () => {
    commit();
    expect(versionOf()).toEqual({
      version: `1.2.0~20261122164249.${git('rev-parse', 'HEAD').slice(0, 10)}`,
      epochS: WHEN_S,
    });
  });

  test('stands behind a release that the changelog has, as in a shallow clone without tags', () => {
    put('CHANGELOG.md', '# Changelog\n\n## Unreleased\n\n## [1.2.0] - 2026-10-01\n### Added\n- A thing.\n');
    commit();
    expect(versionOf().version).toMatch(/^1\.2\.0\+20261122164249\.[0-9a-f]{10}$/);
  });

  test('says that there are changes nobody has committed, new files too', () => {
    commit();
    git('tag', 'v1.2.0');
    put('new.ts', '');
    expect(versionOf(root, { SOURCE_DATE_EPOCH: String(WHEN_S + 60) })).toEqual({
      version: `1.2.0~20261122164249.${git('rev-parse', 'HEAD').slice(0, 10)}+changed20261122164349`,
      epochS: WHEN_S + 60,
    });
  });

  test('is known in a tar ball of a commit', () => {
    for (const file of ['.gitattributes', 'hardware/package/commit.txt']) cpSync(join(ROOT, file), join(root, file));
    commit();
    const { version } = versionOf();
    const unpacked = join(root, 'unpacked');
    mkdirSync(unpacked);
    execFileSync('sh', ['-c', 'git -C "$1" archive HEAD | tar x -C "$2"', 'sh', root, unpacked]);
    expect(versionOf(unpacked)).toEqual({ version, epochS: WHEN_S });
  });

  test('is not that of a clone around it, and not known without any commit', () => {
    commit();
    for (const file of ['device-agent/package.json', 'CHANGELOG.md'])
      cpSync(join(root, file), join(root, 'inner', file));
    expect(versionOf(join(root, 'inner'), { SOURCE_DATE_EPOCH: String(WHEN_S) })).toEqual({
      version: '1.2.0~20261122164249.unknown',
      epochS: WHEN_S,
    });
  });
});

describeWhere(missingProgram('dpkg', 'dpkg'))('dpkg', () => {
  test('takes each build for newer than the ones before it', () => {
    const at = (seconds: number): Record<string, string> => ({ SOURCE_DATE_EPOCH: String(WHEN_S + seconds) });
    const builds: string[] = [];
    commit();
    builds.push(versionOf().version);
    put('a.ts', '');
    builds.push(versionOf(root, at(10)).version, versionOf(root, at(20)).version);
    commit(WHEN_S + 30);
    builds.push(versionOf().version);
    git('tag', 'v1.2.0');
    builds.push(versionOf().version);
    put('CHANGELOG.md', '# Changelog\n\n## 1.2.0 - 2026-11-22\n### Added\n- A thing.\n');
    commit(WHEN_S + 40);
    builds.push(versionOf().version);
    put('device-agent/package.json', '{"version":"1.3.0"}');
    commit(WHEN_S + 50);
    builds.push(versionOf().version, '1.3.0');
    for (const [n, build] of builds.slice(1).entries())
      expect([build, isNewer(build, builds[n] ?? '')]).toEqual([build, true]);
  });
});
