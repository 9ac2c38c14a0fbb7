// Installs and builds what is missing, before anything is installed: plain Node, no packages.
// `npm test`, `npm run check` and `npm run demo` start here. Progress goes to stderr. With the argument `demo`: what that needs.
import { existsSync, readdirSync, rmSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildClient } from './prepare/build-client.mjs';
import { buildDocs } from './prepare/build-docs.mjs';
import { buildPage } from './prepare/build-page.mjs';
import { compileValidators } from './prepare/compile-validators.mjs';
import { compileModules, modulesToCompile } from './prepare/native-modules.mjs';
import { installPackages, isDemoOnly, whyInstall } from './prepare/packages.mjs';
import { lock } from './prepare/prepare-lock.mjs';
import { PrepareError, run } from './prepare/program.mjs';
import { Steps } from './prepare/steps.mjs';
import { transpile } from './prepare/transpile.mjs';

export { PrepareError };
export const ROOT = fileURLToPath(new URL('../..', import.meta.url));
/** [folder of the sources, folder of what tsc makes of them]; the same pairs as in the tsconfig.json files. */
const BUILT_FOLDERS = [
  ['shared/src', 'shared/dist'],
  ['server/src', 'server/dist'],
  ['server/client/src', 'server/client/dist'],
  ['device-agent/src', 'device-agent/dist'],
  ['hardware/src', 'hardware/dist'],
  ['test', 'test/dist'],
];
const NODE_FLOOR = [20, 19];
/** The steps below. */
const STEPS = 3;

/**
 * Brings node_modules and every dist folder up to date with package-lock.json and the sources. `wanted` 'demo': only what
 * the demo needs, where no more is there already. `next` names the step that the caller takes then.
 */
export async function prepare({ root = ROOT, wanted = 'all', next } = {}) {
  checkNode();
  const unlock = await lock(join(root, '.cache'));
  const steps = new Steps(STEPS + (next ? 1 : 0));
  try {
    const scope = wanted === 'demo' && isDemoOnly(root) ? 'demo' : 'all';
    await install(root, scope, steps);
    removeStaleOutput(root);
    await steps.run('Build', () => build(root, scope));
    if (next) steps.announce(next);
  } finally {
    unlock();
  }
}

async function install(root, scope, steps) {
  const reason = whyInstall(root, scope);
  if (reason) await steps.run(`Install packages (${reason})`, (show) => installPackages(root, scope, show));
  else steps.pass();
  const modules = modulesToCompile(root, scope);
  if (modules.length > 0) await steps.run('Compile native modules', (show) => compileModules(root, modules, show));
  else steps.pass();
}

function checkNode() {
  const [major, minor] = process.versions.node.split('.').map(Number);
  if (major < NODE_FLOOR[0] || (major === NODE_FLOOR[0] && minor < NODE_FLOOR[1])) {
    throw new PrepareError(
      `Relaygate needs Node ${NODE_FLOOR.join('.')} or newer; this is Node ${process.versions.node}.`,
    );
  }
}

/** Types are checked for tests; the demo runs the same sources without. */
async function build(root, scope) {
  if (scope === 'demo') await transpile(root);
  else {
    await tsc(root);
    await buildClient(root);
  }
  compileValidators(root);
  await buildPage(root);
  await buildDocs(root);
}

function tsc(root) {
  const program = join(root, 'node_modules/@typescript/native/bin/tsc');
  const args = [program, '-b', '--pretty', String(process.stderr.isTTY === true)];
  return run({ program: process.execPath, args, label: 'tsc -b', cwd: root });
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

/** Runs `main` and turns an error that the reader can mend into its message and exit code 1. */
export async function orExplain(main) {
  try {
    await main();
  } catch (error) {
    if (!(error instanceof PrepareError)) throw error;
    process.stderr.write(`${error.message}\n`);
    process.exitCode = 1;
  }
}

if (process.argv[1] && resolve(process.argv[1]) === fileURLToPath(import.meta.url)) {
  await orExplain(() => prepare({ wanted: process.argv[2] }));
}
