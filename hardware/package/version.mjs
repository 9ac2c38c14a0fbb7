// The version of the Debian package: which commit it is built from, and where that stands between two releases.
import { existsSync, readFileSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import { quietly, ROOT } from './workshop.mjs';

/** `git archive`, which makes the tar balls of releases, fills it in. */
const ARCHIVED_COMMIT = 'hardware/package/commit.txt';
const HASH_CHARS = 10;
/** What `versionOf` makes, as a pattern. */
const VERSION = '\\d+\\.\\d+\\.\\d+([+~]\\d{14}\\.(unknown|[0-9a-f]{10}(\\+changed\\d{14})?))?';

/** Names of the files that a build has made, of any version: `name_<version>_end`. */
export const earlierBuilds = (name, end) => new RegExp(`^${name}_${VERSION}_${end.replaceAll('.', '\\.')}$`);

/** { version, epochS }: `epochS` is the time that every file of the package gets. */
export function packageVersion(root = ROOT, env = process.env) {
  const { version: base } = JSON.parse(readFileSync(join(root, 'device-agent/package.json'), 'utf8'));
  const changelog = readFileSync(join(root, 'CHANGELOG.md'), 'utf8');
  const given = /^\d+$/.test(env.SOURCE_DATE_EPOCH ?? '') ? Number(env.SOURCE_DATE_EPOCH) : undefined;
  const nowS = given ?? Math.floor(Date.now() / 1000);
  const commit = commitOfClone(root, base) ?? commitOfArchive(root, base);
  return {
    version: versionOf({ base, commit, nowS, isReleased: isReleased(changelog, base) }),
    epochS: given ?? commit?.timeS ?? nowS,
  };
}

/**
 * As dpkg orders: `0.1.0~...` before 0.1.0, and `0.1.0+...` after it, by the time of the commit. The changelog says whether
 * there is such a release: a shallow clone and a tar ball have no tags.
 */
export function versionOf({ base, commit, nowS, isReleased }) {
  if (commit?.isTagged && !commit.isChanged) return base;
  const mark = isReleased ? '+' : '~';
  if (commit === undefined) return `${base}${mark}${digits(nowS)}.unknown`;
  // A change that nobody has committed is later than its commit, and earlier than the next one.
  const change = commit.isChanged ? `+changed${digits(nowS)}` : '';
  return `${base}${mark}${digits(commit.timeS)}.${commit.hash.slice(0, HASH_CHARS)}${change}`;
}

const isReleased = (changelog, version) =>
  changelog.split('\n').some((line) => /^## \[?([^\]\s]+)/.exec(line)?.[1] === version);

/** undefined: no clone, or no git. */
function commitOfClone(root, base) {
  const git = (...args) => quietly('git', ['-C', root, ...args])?.trim();
  const top = git('rev-parse', '--show-toplevel');
  // The folder may lie in a clone of something else.
  if (top === undefined || realpathSync(top) !== realpathSync(root)) return undefined;
  const [hash, timeS] = git('log', '-1', '--format=%H %ct')?.split(' ') ?? [];
  if (hash === undefined) return undefined;
  const tags = git('tag', '--points-at', 'HEAD')?.split('\n') ?? [];
  return {
    hash,
    timeS: Number(timeS),
    isTagged: tags.includes(`v${base}`),
    isChanged: git('status', '--porcelain') !== '',
  };
}

function commitOfArchive(root, base) {
  const file = join(root, ARCHIVED_COMMIT);
  const text = existsSync(file) ? readFileSync(file, 'utf8') : '';
  const [, hash, timeS, tags = ''] = /^([0-9a-f]{40}) (\d+)(.*)$/m.exec(text) ?? [];
  if (hash === undefined) return undefined;
  return { hash, timeS: Number(timeS), isTagged: tags.split(/[\s,()]+/).includes(`v${base}`), isChanged: false };
}

/** 20261122164249, in UTC. */
const digits = (timeS) => new Date(timeS * 1000).toISOString().replace(/\D/g, '').slice(0, 14);
