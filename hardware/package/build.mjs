// `npm run package`: relaygate-device_<version>_arm64.deb, for Raspberry Pi OS and Debian, in dist/.
import {
  chmodSync,
  copyFileSync,
  cpSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { TREE_PROGRAMS, writeDeviceTree } from './device-tree.mjs';
import { needPrograms, OUTPUT, orExplain, ROOT, run, say } from './workshop.mjs';

const HERE = fileURLToPath(new URL('.', import.meta.url));
const UNITS = join(ROOT, 'hardware/systemd');
const SCRIPTS = ['postinst', 'prerm', 'postrm'];
const PROGRAM_MODE = /\/bin\/|\/dispatcher\.d\/|\/ld-/;

/** Builds the package and returns its path. */
export function buildPackage() {
  needPrograms({ 'dpkg-deb': 'dpkg', md5sum: 'coreutils', ...TREE_PROGRAMS });
  const { version } = JSON.parse(readFileSync(join(ROOT, 'device-agent/package.json'), 'utf8'));
  const tree = mkdtempSync(join(tmpdir(), 'rg-deb-'));
  try {
    chmodSync(tree, 0o755);
    writeFiles(tree);
    writeControl(tree, version);
    const file = join(OUTPUT, `relaygate-device_${version}_arm64.deb`);
    mkdirSync(OUTPUT, { recursive: true });
    say('Packing ...');
    run('dpkg-deb', ['--root-owner-group', '-Zzstd', '-z9', '-b', tree, file]);
    return file;
  } finally {
    rmSync(tree, { recursive: true, force: true });
  }
}

function writeFiles(tree) {
  cpSync(join(HERE, 'files'), tree, { recursive: true });
  writeDeviceTree(join(tree, 'usr/lib/relaygate'));
  const units = join(tree, 'usr/lib/systemd/system');
  mkdirSync(units, { recursive: true });
  for (const unit of deviceUnits()) copyFileSync(join(UNITS, unit), join(units, unit));
  const doc = join(tree, 'usr/share/doc/relaygate-device');
  mkdirSync(doc, { recursive: true });
  copyFileSync(join(ROOT, 'LICENSE'), join(doc, 'copyright'));
  copyFileSync(join(ROOT, 'device-agent/README.md'), join(doc, 'README.md'));
  // systemd sets a clock that shows less to this file's time when it starts: a Pi has no battery for its own.
  writeFileSync(join(tree, 'usr/lib/clock-epoch'), '');
  for (const path of filesOf(tree)) chmodSync(join(tree, path), PROGRAM_MODE.test(`/${path}`) ? 0o755 : 0o644);
  for (const entry of readdirSync(tree, { recursive: true, withFileTypes: true })) {
    if (entry.isDirectory()) chmodSync(join(entry.parentPath, entry.name), 0o755);
  }
}

function writeControl(tree, version) {
  const folder = join(tree, 'DEBIAN');
  const files = filesOf(tree);
  const sizeKiB = Math.ceil(files.reduce((sum, path) => sum + lstatSync(join(tree, path)).size, 0) / 1024);
  const sums = run('md5sum', ['--', ...files.filter((path) => lstatSync(join(tree, path)).isFile())], { cwd: tree });
  mkdirSync(folder);
  // The guard is the last to be restarted.
  const units = deviceUnits().sort((a, b) => Number(a.includes('guard')) - Number(b.includes('guard')));
  const fill = (name) =>
    readFileSync(join(HERE, 'debian', name), 'utf8')
      .replaceAll('@VERSION@', version)
      .replaceAll('@INSTALLED_SIZE@', String(sizeKiB))
      .replaceAll('@UNITS@', units.join(' '));
  for (const name of ['control', 'conffiles', ...SCRIPTS]) {
    writeFileSync(join(folder, name), fill(name), { mode: SCRIPTS.includes(name) ? 0o755 : 0o644 });
  }
  writeFileSync(join(folder, 'md5sums'), sums);
}

function deviceUnits() {
  return readdirSync(UNITS).filter((name) => name !== 'relaygate-server.service');
}

/** Files and links, relative to the tree, in order. */
function filesOf(tree) {
  return readdirSync(tree, { recursive: true, withFileTypes: true })
    .filter((entry) => !entry.isDirectory())
    .map((entry) => join(entry.parentPath, entry.name).slice(tree.length + 1))
    .sort();
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  await orExplain(async () => {
    say(`Done: ${buildPackage()}`);
  });
}
