// What package and image are built with: programs of this machine, a cache folder, words on stderr.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  closeSync,
  existsSync,
  fsyncSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs';
import { basename, delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const ROOT = fileURLToPath(new URL('../..', import.meta.url));
export const CACHE = join(ROOT, '.cache/package');
/** Where users find what was built. */
export const OUTPUT = join(ROOT, 'dist');
const MINUTE_MS = 60_000;
/** Emulated programs on a busy machine take long; one that hangs is ended all the same. */
const PROGRAM_LIMIT_MS = 60 * MINUTE_MS;
/** A scratch folder this old is in nobody's use. */
const LONGEST_BUILD_MS = 24 * 60 * MINUTE_MS;
const UNFINISHED = '.new';
const KEPT_BYTES = 64 * 1024 * 1024;

/** Something the reader can mend; its message is the whole story. */
export class BuildError extends Error {}

const startedMs = performance.now();

/** One line of progress, with the seconds since the start. */
export function say(line) {
  process.stderr.write(`[${((performance.now() - startedMs) / 1000).toFixed(0).padStart(4)} s] ${line}\n`);
}

/** Of the lock that holds other builds off, and that a program which outlives this process goes on holding; null: none. */
let lockFd = null;

export function holdInPrograms(fd) {
  lockFd = fd;
}

const withLock = (stdio) => (lockFd === null ? stdio : [...stdio, lockFd]);

/** Runs a program to its end and returns what it prints. Throws `BuildError` with what it said last. */
export function run(program, args, { cwd = ROOT, env = {}, input, encoding = 'utf8' } = {}) {
  try {
    return execFileSync(program, args, {
      cwd,
      env: { ...process.env, ...env },
      input,
      encoding,
      maxBuffer: KEPT_BYTES,
      timeout: PROGRAM_LIMIT_MS,
      stdio: withLock([input === undefined ? 'ignore' : 'pipe', 'pipe', 'pipe']),
    });
  } catch (error) {
    const late = error.code === 'ETIMEDOUT' ? ` It was ended after ${PROGRAM_LIMIT_MS / MINUTE_MS} minutes.` : '';
    const said = (String(error.stderr ?? '').trim() || error.message) + late;
    throw new BuildError(`${program} ${args[0] ?? ''} has failed:\n${said}`, { cause: error });
  }
}

/** What a program prints; undefined: it is not there, or fails. */
export function quietly(program, args) {
  try {
    return execFileSync(program, args, {
      encoding: 'utf8',
      timeout: MINUTE_MS,
      stdio: withLock(['ignore', 'pipe', 'ignore']),
    });
  } catch {
    return undefined;
  }
}

/**
 * A file that is whole and on the disk, or as it was: `write` gets the path of a new one beside it. What earlier builds that
 * were cut off have left goes. `earlier`: what names files of earlier builds, which go once this one is there.
 */
export function writeWhole(file, write, earlier) {
  const folder = dirname(file);
  mkdirSync(folder, { recursive: true });
  const fresh = `${file}${UNFINISHED}`;
  for (const name of readdirSync(folder).filter((one) => one.endsWith(UNFINISHED))) {
    const finished = name.slice(0, -UNFINISHED.length);
    if (finished === basename(file) || earlier?.test(finished)) rmSync(join(folder, name));
  }
  try {
    write(fresh);
    flush(fresh);
    renameSync(fresh, file);
    flush(folder);
  } catch (error) {
    rmSync(fresh, { force: true });
    throw error;
  }
  for (const name of readdirSync(folder)) {
    if (name === basename(file) || !earlier?.test(name)) continue;
    rmSync(join(folder, name));
    say(`Removed an earlier build: ${name}`);
  }
}

/**
 * Gives `work` a folder of its own in `parent`, and takes it away. Nothing runs in a process that a signal ends while a program
 * works for it, so the next build of this clone, of which there is one at a time, takes away what is left; that of a clone which
 * is gone goes after a day. `clone`: a folder that no other clone has.
 */
export async function withScratch(parent, kind, work, clone = CACHE) {
  mkdirSync(parent, { recursive: true });
  const { dev, ino } = statSync(clone);
  const own = `${kind}-${dev}-${ino}-`;
  removeLeftScratch(parent, `${kind}-`, own);
  const folder = mkdtempSync(join(parent, own));
  try {
    return await work(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function removeLeftScratch(parent, any, own) {
  for (const name of readdirSync(parent).filter((one) => one.startsWith(any))) {
    const path = join(parent, name);
    // Another build may have taken it away meanwhile; and anybody may name a folder so where everybody may write.
    const found = lstatSync(path, { throwIfNoEntry: false });
    if (found?.uid !== process.getuid?.()) continue;
    if (name.startsWith(own) || Date.now() - found.mtimeMs >= LONGEST_BUILD_MS)
      rmSync(path, { recursive: true, force: true });
  }
}

function flush(path) {
  const opened = openSync(path, 'r');
  try {
    fsyncSync(opened);
  } finally {
    closeSync(opened);
  }
}

/** `programs`: name -> Debian package. Throws one error that names all packages that are missing. */
export function needPrograms(programs) {
  const folders = (process.env.PATH ?? '').split(delimiter);
  const isThere = (name) =>
    name.startsWith('/') ? existsSync(name) : folders.some((folder) => existsSync(join(folder, name)));
  const missing = Object.entries(programs).flatMap(([name, debianPackage]) => (isThere(name) ? [] : [debianPackage]));
  if (missing.length === 0) return;
  const command = `sudo apt-get install --no-install-recommends ${[...new Set(missing)].join(' ')}`;
  throw new BuildError(`These Debian packages are missing: ${command}`);
}

/**
 * A folder of the cache that is whole or not there, made anew when what it is made from changes. `sources`: files and
 * texts. `build` fills a folder.
 */
export function cached(name, sources, build) {
  const hash = createHash('sha256');
  for (const source of sources)
    hash.update(existsSync(source) && statSync(source).isFile() ? readFileSync(source) : source);
  const folder = join(CACHE, `${name}-${hash.digest('hex').slice(0, 12)}`);
  if (existsSync(folder)) return folder;
  mkdirSync(CACHE, { recursive: true });
  for (const old of readdirSync(CACHE)) {
    if (old.startsWith(`${name}-`) || old.startsWith(`new-${name}-`)) rmSync(join(CACHE, old), { recursive: true });
  }
  const fresh = mkdtempSync(join(CACHE, `new-${name}-`));
  try {
    build(fresh);
    renameSync(fresh, folder);
    return folder;
  } catch (error) {
    rmSync(fresh, { recursive: true, force: true });
    throw error;
  }
}

/** Runs `main`; an error that the reader can mend becomes its message and exit code 1. */
export async function orExplain(main) {
  try {
    await main();
  } catch (error) {
    if (!(error instanceof BuildError)) throw error;
    process.stderr.write(`${error.message}\n`);
    process.exitCode = 1;
  }
}
