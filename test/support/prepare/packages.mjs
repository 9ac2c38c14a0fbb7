// What package-lock.json wants in node_modules, what is there, and the way from one to the other.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { npm, PrepareError } from './program.mjs';

/** What the demo needs to be built and to run: no tool of the tests, no linter, no type checker. */
const DEMO_WORKSPACES = ['shared', 'server', 'device-agent'];
const INSTALLED = 'node_modules/.package-lock.json';
const IS_FETCH = /^npm http (fetch|cache) /;
const IS_TARBALL = /^npm http (fetch|cache) .*\.tgz/;

/** Whether the demo's own small installation serves here: none is there, or it was made so. */
export function isDemoOnly(root) {
  const installed = readJson(join(root, INSTALLED));
  const demo = rowsOf(lockOf(root), 'demo');
  return Object.keys(installed?.packages ?? {}).every((path) => demo.has(path));
}

/**
 * Why node_modules is not what package-lock.json says, in a few words, or null. Compares contents, not file
 * times: npm leaves the list of what it installed in node_modules/.package-lock.json.
 */
export function whyInstall(root, scope = 'all') {
  const installed = readJson(join(root, INSTALLED));
  if (!installed) return 'none are here yet';
  const { packages } = lockOf(root);
  for (const path of rowsOf({ packages }, scope)) {
    const [want, have] = [packages[path], installed.packages[path]];
    // A row that is not there may be meant for another machine: npm leaves those out.
    if (!have && want.optional) continue;
    if (!have || !existsSync(join(root, path))) return `${packageName(path)} is missing`;
    const same = want.version === have.version && want.integrity === have.integrity && want.link === have.link;
    if (!same) return `${packageName(path)} has changed`;
  }
  return null;
}

/** Fetches what is missing; install scripts are left to native-modules.mjs. What the demo installed stays for the rest. */
export async function installPackages(root, scope, show) {
  // By their names: a folder would stand for the workspaces inside it as well, as server/client.
  const small = scope === 'demo' ? DEMO_WORKSPACES.map((name) => `--workspace=@relaygate/${name}`) : ['--include=dev'];
  const completes = scope === 'all' && existsSync(join(root, INSTALLED)) && isDemoOnly(root);
  const command = completes ? ['install', '--no-save'] : ['ci'];
  let fetched = 0;
  await npm({
    args: [...command, ...small, '--ignore-scripts', '--loglevel=http'],
    label: `npm ${command[0]}`,
    cwd: root,
    onLine: (line) => IS_TARBALL.test(line) && show(`${++fetched} fetched`),
    isNoise: (line) => IS_FETCH.test(line),
    hint: installHint,
  });
  return `${Object.keys(readJson(join(root, INSTALLED))?.packages ?? {}).length} packages`;
}

/** What to do about the faults of a network and a disk, or nothing. */
function installHint(output) {
  if (
    /\b(ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|ENETUNREACH|EHOSTUNREACH|ERR_SOCKET_TIMEOUT)\b/.test(
      output,
    )
  )
    return (
      'The package registry cannot be reached. Look at the network, and behind a proxy set HTTPS_PROXY ' +
      '(or "npm config set registry" to a mirror); then run the same command again.'
    );
  if (/\bENOSPC\b/.test(output)) return 'The disk is full: make room, then run the same command again.';
  if (/\b(EACCES|EPERM|EROFS)\b/.test(output))
    return 'A file cannot be written: node_modules and ~/.npm must belong to the user who runs this.';
  return undefined;
}

/** The lock's rows under node_modules that a scope needs: all of them, or what the demo's workspaces lead to. */
function rowsOf({ packages }, scope) {
  if (scope === 'all') return new Set(Object.keys(packages).filter((path) => path !== ''));
  const found = new Set();
  const visit = (path) => {
    if (found.has(path)) return;
    found.add(path);
    const row = packages[path];
    if (row.link) return visit(row.resolved);
    const own = DEMO_WORKSPACES.includes(path) ? row.devDependencies : {};
    const names = { ...row.dependencies, ...row.optionalDependencies, ...row.peerDependencies, ...own };
    for (const name of Object.keys(names)) {
      const at = placeOf(packages, path, name);
      if (at) visit(at);
    }
  };
  for (const name of DEMO_WORKSPACES) visit(`node_modules/@relaygate/${name}`);
  return found;
}

/** Where Node finds `name` from `path`: in its own node_modules or in that of a folder around it. */
function placeOf(packages, path, name) {
  for (let folder = path; ; folder = folder.slice(0, Math.max(0, folder.lastIndexOf('/')))) {
    const at = `${folder && `${folder}/`}node_modules/${name}`;
    if (packages[at]) return at;
    if (folder === '') return undefined;
  }
}

function lockOf(root) {
  const lock = readJson(join(root, 'package-lock.json'));
  if (!lock) throw new PrepareError('package-lock.json is missing or not JSON: take it from the repository again.');
  return lock;
}

const packageName = (path) => path.split('node_modules/').at(-1);

function readJson(file) {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    return null;
  }
}
