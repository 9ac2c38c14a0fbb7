/** What an emulated machine boots: Debian's kernel and an initramfs with Node and the built programs. */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  appendFileSync,
  chmodSync,
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
} from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../../support/processes/program';
import { DebianPackages } from './debian-packages';
import { fetched } from './fetching';
import { writeModules } from './kernel-modules';
import { inTurn } from './taking-turns';
import type { Target } from './target';

const CACHE = join(ROOT, '.cache/hardware-vm');
const GUEST = join(ROOT, 'test/hardware-vm/guest');
/** What was built in another way is built anew. */
const RECIPE = join(ROOT, 'test/hardware-vm/image');
const LIBRARIES = ['libc6', 'libstdc++6', 'libgcc-s1'];
const NPM_LIMIT_MS = 4 * 60_000;
const PACK_LIMIT_MS = 60_000;
const DEVICE_TREE = 'device-tree.dtb';

export interface VmImage {
  kernel: string;
  /** Where the machine needs one. */
  deviceTree: string;
  initramfs: string;
}

export type Say = (line: string) => void;

/** Builds what is missing in the cache; the first time it downloads about 150 MB. The programs are always the built ones. */
export function makeImage(target: Target, say: Say): VmImage {
  return inTurn(CACHE, () => makeNow(target, say));
}

function makeNow(target: Target, say: Say): VmImage {
  const { debian } = target;
  const base = cached(`base-${debian}`, [GUEST, RECIPE], (folder) => buildBase(target, folder, say));
  const lock = join(ROOT, 'package-lock.json');
  const headers = join(base, 'node');
  const packages = cached(`packages-${debian}`, [RECIPE, lock], (folder) =>
    fetchPackages(target, folder, headers, say),
  );
  const scratch = mkdtempSync(join(CACHE, 'programs-'));
  try {
    const home = join(scratch, 'root/opt/relaygate');
    cpSync(packages, home, { recursive: true, verbatimSymlinks: true });
    // With what they export, which changes without the lock file.
    const manifests = ['shared/package.json', 'device-agent/package.json'];
    for (const part of [...manifests, 'shared/built.js', 'shared/dist', 'device-agent/dist', 'device-agent/bin']) {
      cpSync(join(ROOT, part), join(home, part), { recursive: true });
    }
    const initramfs = join(CACHE, `initramfs-${debian}.cpio`);
    copyFileSync(join(base, 'base.cpio'), `${initramfs}.new`);
    // The kernel unpacks one archive after the other.
    pack(join(scratch, 'root'), join(scratch, 'programs.cpio'));
    appendFileSync(`${initramfs}.new`, readFileSync(join(scratch, 'programs.cpio')));
    renameSync(`${initramfs}.new`, initramfs);
    return { kernel: join(base, 'kernel'), deviceTree: join(base, DEVICE_TREE), initramfs };
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

/** A folder of the cache that is whole or not there, made anew when what it is made from changes. */
function cached(name: string, sources: readonly string[], build: (folder: string) => void): string {
  const hash = createHash('sha256');
  for (const source of sources) {
    const files = source.endsWith('.json') ? [source] : readdirSync(source).map((file) => join(source, file));
    for (const file of files.sort()) hash.update(readFileSync(file));
  }
  const folder = join(CACHE, `${name}-${hash.digest('hex').slice(0, 12)}`);
  if (existsSync(folder)) return folder;
  mkdirSync(CACHE, { recursive: true });
  const fresh = mkdtempSync(join(CACHE, `new-${name}-`));
  try {
    build(fresh);
  } catch (error) {
    rmSync(fresh, { recursive: true });
    throw error;
  }
  for (const old of readdirSync(CACHE)) {
    if (old.startsWith(`${name}-`)) rmSync(join(CACHE, old), { recursive: true });
  }
  renameSync(fresh, folder);
  return folder;
}

function buildBase(target: Target, folder: string, say: Say): void {
  say(`Fetching a Debian ${target.debian} kernel, C library and busybox ...`);
  const debian = new DebianPackages(join(CACHE, 'apt'), target.debian, target.suite());
  debian.update();
  const kernelName = debian.newestOf(`linux-image-${target.debian}`, /^linux-image-\d/);
  const unpacked = join(folder, 'unpacked');
  debian.unpack([kernelName, ...LIBRARIES, 'busybox-static'], unpacked);
  const release = kernelName.replace('linux-image-', '');
  const kernel = join(unpacked, kernelName);
  copyFileSync(join(kernel, 'boot', `vmlinuz-${release}`), join(folder, 'kernel'));
  if (target.deviceTree)
    copyFileSync(join(kernel, 'usr/lib', kernelName, target.deviceTree), join(folder, DEVICE_TREE));

  const root = join(folder, 'root');
  const modules = join(root, 'modules');
  const [modulesFolder] = foldersOf(kernel, join('modules', release));
  if (modulesFolder === undefined) throw new Error(`${kernelName} holds no modules`);
  writeModules(modulesFolder, target.modules, modules);
  target.buildModules?.({ debian, release, folder: modules, scratch: join(unpacked, 'build') });
  const lib = join(root, 'lib');
  mkdirSync(lib, { recursive: true });
  for (const library of LIBRARIES) {
    for (const from of foldersOf(join(unpacked, library), target.libraryFolder)) {
      for (const file of readdirSync(from)) {
        if (file.includes('.so')) cpSync(join(from, file), join(lib, file), { verbatimSymlinks: true });
      }
    }
  }
  // Where programs for x86-64 look for their loader.
  symlinkSync('lib', join(root, 'lib64'));
  say(`Fetching ${target.node} ...`);
  fetched(target.node, () => npm(['pack', target.node], folder));
  const archive = readdirSync(folder).find((file) => file.endsWith('.tgz'));
  // The headers are for what has to be compiled.
  const node = join(folder, 'node');
  mkdirSync(node);
  const parts = ['--strip-components=1', 'package/bin/node', 'package/include'];
  execFileSync('tar', ['xzf', join(folder, String(archive)), '-C', node, ...parts], { timeout: PACK_LIMIT_MS });
  for (const part of ['bin', 'sbin', 'etc', 'usr/bin', 'proc', 'sys', 'dev', 'run', 'tmp']) {
    mkdirSync(join(root, part), { recursive: true });
  }
  renameSync(join(node, 'bin/node'), join(root, 'usr/bin/node'));
  writeBusybox(join(unpacked, 'busybox-static'), root);
  for (const file of readdirSync(GUEST)) cpSync(join(GUEST, file), join(root, 'etc', file));
  chmodSync(join(root, 'etc/start.sh'), 0o755);
  pack(root, join(folder, 'base.cpio'));
  for (const part of ['unpacked', 'root', String(archive)]) {
    rmSync(join(folder, part), { recursive: true });
  }
  rmSync(join(CACHE, 'apt'), { recursive: true });
}

/** Those that an unpacked package has: Debian is moving them from `/lib` to `/usr/lib`. */
function foldersOf(root: string, name: string): string[] {
  return ['usr/lib', 'lib'].map((folder) => join(root, folder, name)).filter((path) => existsSync(path));
}

function writeBusybox(unpacked: string, root: string): void {
  const file = ['usr/bin/busybox', 'bin/busybox'].map((path) => join(unpacked, path)).find((path) => existsSync(path));
  if (file === undefined) throw new Error('busybox-static holds no busybox');
  copyFileSync(file, join(root, 'bin/busybox'));
  chmodSync(join(root, 'bin/busybox'), 0o755);
  const names =
    'sh mount mkdir date sed insmod ifconfig route usleep sleep cat echo kill grep ls ps base64 head tail rm dmesg uname setsid timeout env chmod touch mv cp ln wc nc';
  for (const name of names.split(' ')) symlinkSync('busybox', join(root, 'bin', name));
  symlinkSync('/bin/busybox', join(root, 'sbin/init'));
}

/** What the device's programs need there, as package-lock.json says. `headers`: of the device's Node. */
function fetchPackages({ cpu, crossCompiler }: Target, folder: string, headers: string, say: Say): void {
  say(`Fetching the device's packages for ${cpu} ...`);
  const files = [
    'package.json',
    'package-lock.json',
    ...['shared', 'server', 'device-agent', 'hardware'].map((name) => `${name}/package.json`),
  ];
  for (const file of files) {
    mkdirSync(join(folder, file, '..'), { recursive: true });
    copyFileSync(join(ROOT, file), join(folder, file));
  }
  const target = [`--cpu=${cpu}`, '--os=linux', '--libc=glibc', '--ignore-scripts'];
  fetched("The device's packages", () => npm(['ci', '-w', 'device-agent', '--omit=dev', ...target], folder));
  if (!existsSync(join(folder, 'node_modules/epoll'))) return;
  // Nobody has a binary of it; node-gyp reads these.
  const compilers = crossCompiler ? { CC: `${crossCompiler}gcc`, CXX: `${crossCompiler}g++` } : {};
  const cross = { npm_config_nodedir: headers, npm_config_arch: cpu, ...compilers };
  npm(['rebuild', 'epoll'], folder, cross);
}

function npm(args: readonly string[], cwd: string, env: Readonly<Record<string, string>> = {}): void {
  execFileSync('npm', [...args, '--no-audit', '--no-fund', '--loglevel=error'], {
    cwd,
    env: { ...process.env, ...env },
    timeout: NPM_LIMIT_MS,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
}

/** All files of a folder as the kernel wants an initramfs, owned by root. */
function pack(folder: string, archive: string): void {
  const script = 'find . -mindepth 1 -print0 | cpio --null --create --format=newc --owner=0:0 --quiet';
  execFileSync('sh', ['-c', `${script} > "$1"`, 'sh', archive], { cwd: folder, timeout: PACK_LIMIT_MS });
}
