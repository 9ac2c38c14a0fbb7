// Installs and builds what is missing, before anything is installed: plain Node, no packages.
// `npm test`, `npm run check` and `npm run demo` start here. Progress goes to stderr.
import { spawnSync } from 'node:child_process';
import { existsSync, linkSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { delimiter, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildPage } from './build-page.mjs';
import { compileValidators } from './compile-validators.mjs';

export const ROOT = fileURLToPath(new URL('../..', import.meta.url));
/** [folder of the sources, folder of what tsc makes of them]; the same pairs as in the tsconfig.json files. */
const BUILT_FOLDERS = [
  ['shared/src', 'shared/dist'],
  ['server/src', 'server/dist'],
  ['device-agent/src', 'device-agent/dist'],
  ['hardware/src', 'hardware/dist'],
  ['test', 'test/dist'],
];
const NODE_FLOOR = [20, 19];
const LOCK_WAIT_MS = 15 * 60_000;
const LOCK_POLL_MS = 200;

/** Something the reader can mend; its message is the whole story, so no stack trace is shown. */
export class PrepareError extends Error {}

const say = (line) => process.stderr.write(`${line}\n`);

/** Brings node_modules and every dist folder up to date with package-lock.json and the sources. */
export async function prepare(root = ROOT) {
  checkNode();
  const unlock = await lock(join(root, '.cache'));
  try {
    install(root);
    removeStaleOutput(root);
    await build(root);
  } finally {
    unlock();
  }
}

function checkNode() {
  const [major, minor] = process.versions.node.split('.').map(Number);
  if (major < NODE_FLOOR[0] || (major === NODE_FLOOR[0] && minor < NODE_FLOOR[1])) {
    throw new PrepareError(
      `Relaygate needs Node ${NODE_FLOOR.join('.')} or newer; this is Node ${process.versions.node}.`,
    );
  }
}

function install(root) {
  const reason = whyInstall(root);
  if (reason) {
    say(`Installing packages (${reason}; about a minute when better-sqlite3 has to be compiled) ...`);
    npm(root, ['ci', '--include=dev'], 'npm ci');
  }
  if (!sqliteLoads(root)) {
    say(`Compiling better-sqlite3 for Node ${process.versions.node} (about a minute) ...`);
    npm(root, ['rebuild', 'better-sqlite3'], 'npm rebuild better-sqlite3');
    const problem = sqliteProblem(root);
    if (problem) throw new PrepareError(`better-sqlite3 does not load: ${problem}\n${missingCompiler() ?? ''}`.trim());
  }
}

/**
 * Why node_modules is not what package-lock.json says, in a few words, or null. Compares contents, not file
 * times: npm leaves the list of what it installed in node_modules/.package-lock.json.
 */
export function whyInstall(root) {
  const installed = readJson(join(root, 'node_modules/.package-lock.json'));
  if (!installed) return 'none are here yet';
  const wanted = readJson(join(root, 'package-lock.json'));
  if (!wanted) throw new PrepareError('package-lock.json is missing or not JSON: take it from the repository again.');
  for (const [path, want] of Object.entries(wanted.packages)) {
    if (path === '') continue;
    const have = installed.packages[path];
    // A row that is not there may be meant for another machine: npm leaves those out.
    if (!have && want.optional) continue;
    if (!have || !existsSync(join(root, path))) return `${packageName(path)} is missing`;
    const same = want.version === have.version && want.integrity === have.integrity && want.link === have.link;
    if (!same) return `${packageName(path)} has changed`;
  }
  return null;
}

const packageName = (path) => path.slice(path.lastIndexOf('node_modules/')).replace('node_modules/', '');

function readJson(file) {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    return null;
  }
}

/** Whether the compiled part of better-sqlite3 fits this Node; it does not after a change of Node's major version. */
const sqliteLoads = (root) => sqliteProblem(root) === null;

function sqliteProblem(root) {
  const load = "const S = require('better-sqlite3'); new S(':memory:').close();";
  const { status, stderr } = spawnSync(process.execPath, ['-e', load], { cwd: join(root, 'server'), encoding: 'utf8' });
  if (status === 0) return null;
  return stderr.split('\n').find((line) => /Error/.test(line)) ?? `it ends with ${status}`;
}

function npm(root, args, label) {
  // Under `npm run` the very npm that runs us is known; else the one on the path.
  const under = process.env.npm_execpath;
  const [program, first] = under?.endsWith('.js') ? [process.execPath, [under]] : ['npm', []];
  run(root, program, [...first, ...args, '--no-audit', '--no-fund'], label, missingCompiler);
}

async function build(root) {
  if (!existsSync(join(root, 'test/dist'))) say('Building ...');
  const tsc = join(root, 'node_modules/@typescript/native/bin/tsc');
  run(root, process.execPath, [tsc, '-b', '--pretty', String(process.stderr.isTTY === true)], 'tsc -b');
  compileValidators(root);
  await buildPage(root);
}

/** Runs a program; its output is shown only when it fails, with `hint` behind it. */
function run(root, program, args, label, hint = () => null) {
  const { status, signal, error, stdout, stderr } = spawnSync(program, args, {
    cwd: root,
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  if (error) throw new PrepareError(`${label} cannot be started: ${error.message}`);
  if (status === 0) return;
  process.stderr.write(stdout + stderr);
  const ended = signal ? `was stopped by ${signal}` : `failed with exit code ${status}`;
  throw new PrepareError([`${label} ${ended}; its output is above.`, hint()].filter(Boolean).join('\n'));
}

/** What is missing to compile better-sqlite3 where no prebuilt binary can be fetched, or null. */
function missingCompiler() {
  const folders = (process.env.PATH ?? '').split(delimiter);
  const missing = [['make'], ['g++', 'c++', 'clang++'], ['python3', 'python']]
    .filter((names) => !names.some((name) => folders.some((folder) => existsSync(join(folder, name)))))
    .map(([name]) => name);
  if (missing.length === 0) return null;
  return (
    `Where no prebuilt better-sqlite3 can be fetched it is compiled, and ${missing.join(' and ')} cannot be found here. ` +
    'On Debian, Ubuntu and Raspberry Pi OS: sudo apt-get install build-essential python3'
  );
}

/** A source that was deleted leaves its compiled files behind, and a compiled test would go on running. */
export function removeStaleOutput(root) {
  for (const [sources, output] of BUILT_FOLDERS) {
    const outputFolder = resolve(root, output);
    if (!existsSync(outputFolder)) continue;
    for (const entry of readdirSync(outputFolder, { recursive: true, withFileTypes: true })) {
      // tsc writes a .d.ts beside each .js, so a .js that something else put there is left alone.
      if (!entry.isFile() || !entry.name.endsWith('.d.ts')) continue;
      const compiled = join(entry.parentPath ?? entry.path, entry.name.slice(0, -'.d.ts'.length));
      const source = resolve(root, sources, relative(outputFolder, compiled));
      if (existsSync(`${source}.ts`) || existsSync(`${source}.tsx`)) continue;
      for (const ending of ['.d.ts', '.d.ts.map', '.js', '.js.map']) rmSync(compiled + ending, { force: true });
    }
  }
}

/** One at a time in a working copy: two `npm ci` at once would pull node_modules from under each other. */
async function lock(folder) {
  mkdirSync(folder, { recursive: true });
  const file = join(folder, 'prepare.lock');
  const giveUpAt = Date.now() + LOCK_WAIT_MS;
  for (let told = false; ; ) {
    if (claim(file)) return () => rmSync(file, { force: true });
    const holder = holderOf(file);
    if (holder === 'gone') {
      rmSync(file, { force: true });
      continue;
    }
    if (Date.now() > giveUpAt)
      throw new PrepareError(`Process ${holder} holds ${file} for too long; delete it if that process is not ours.`);
    if (!told) say(`Waiting for process ${holder}, which installs or builds here ...`);
    told = true;
    await new Promise((done) => setTimeout(done, LOCK_POLL_MS));
  }
}

/** Puts our process id into the lock file, which appears with its content or not at all; false when it is there already. */
function claim(file) {
  const draft = `${file}.${process.pid}`;
  try {
    writeFileSync(draft, String(process.pid));
    linkSync(draft, file);
    return true;
  } catch (error) {
    if (error.code === 'EEXIST') return false;
    throw new PrepareError(`${file} cannot be written: ${error.message}`);
  } finally {
    rmSync(draft, { force: true });
  }
}

/** The process id in a lock file, or 'gone' when that process is no more. */
function holderOf(file) {
  try {
    const pid = Number(readFileSync(file, 'utf8'));
    process.kill(pid, 0);
    return pid;
  } catch (error) {
    return error.code === 'EPERM' ? 'of another user' : 'gone';
  }
}

/** Runs `main` and turns an error that the reader can mend into its message and exit code 1. */
export async function orExplain(main) {
  try {
    await main();
  } catch (error) {
    if (!(error instanceof PrepareError)) throw error;
    say(error.message);
    process.exitCode = 1;
  }
}

if (process.argv[1] && resolve(process.argv[1]) === fileURLToPath(import.meta.url)) await orExplain(() => prepare());
