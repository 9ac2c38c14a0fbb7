// `npm run package`: relaygate-device_<version>_arm64.deb, for Raspberry Pi OS and Debian, in dist/.
import {
  chmodSync,
  copyFileSync,
  cpSync,
  lstatSync,
  lutimesSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { asOnlyBuild } from './build-lock.mjs';
import { copyrightFile, debianChangelog } from './debian-texts.mjs';
import { TREE_PROGRAMS, writeDeviceTree } from './device-tree.mjs';
import { earlierBuilds, packageVersion } from './version.mjs';
import { needPrograms, OUTPUT, orExplain, ROOT, run, say, withScratch, writeWhole } from './workshop.mjs';

const HERE = fileURLToPath(new URL('.', import.meta.url));
const UNITS = join(ROOT, 'hardware/systemd');
/** What this build makes, and others have made before. */
const [NAME, END] = ['relaygate-device', 'arm64.deb'];
const SCRIPTS = ['postinst', 'prerm', 'postrm'];
const PROGRAM_MODE = /\/bin\/|\/dispatcher\.d\/|^\/DEBIAN\/(postinst|prerm|postrm)$/;

export const PACKAGE_PROGRAMS = { 'dpkg-deb': 'dpkg', md5sum: 'coreutils', ...TREE_PROGRAMS };

/** Builds the package by PACKAGE_PROGRAMS and resolves with its path, as the only build of this clone (`asOnlyBuild`). The same commit makes the same bytes, whenever and wherever. */
export async function buildPackage() {
  const { version, epochS } = packageVersion();
  // Not below the repository, whose own packages would be found for those that the tree lacks.
  return withScratch(tmpdir(), 'rg-deb', async (tree) => {
    await writeFiles(tree, version, epochS);
    writeControl(tree, version);
    settle(tree, epochS);
    const file = join(OUTPUT, `${NAME}_${version}_${END}`);
    say('Packing ...');
    const pack = ['--root-owner-group', '--threads-max=1', '-Zzstd', '-z9', '-b', tree];
    const env = { SOURCE_DATE_EPOCH: String(epochS) };
    writeWhole(file, (fresh) => run('dpkg-deb', [...pack, fresh], { env }), earlierBuilds(NAME, END));
    return file;
  });
}

async function writeFiles(tree, version, epochS) {
  cpSync(join(HERE, 'files'), tree, { recursive: true });
  const licences = await writeDeviceTree(join(tree, 'usr/lib/relaygate'), version);
  const units = join(tree, 'usr/lib/systemd/system');
  mkdirSync(units, { recursive: true });
  for (const unit of deviceUnits()) copyFileSync(join(UNITS, unit), join(units, unit));
  const doc = join(tree, 'usr/share/doc/relaygate-device');
  mkdirSync(doc, { recursive: true });
  const text = (name) => readFileSync(join(ROOT, name), 'utf8');
  const [, maintainer] = /^Maintainer: (.*)$/m.exec(text('hardware/package/debian/control')) ?? [];
  writeFileSync(join(doc, 'copyright'), copyrightFile({ own: text('LICENSE'), ...licences }));
  writeFileSync(join(doc, 'changelog.gz'), debianChangelog(text('CHANGELOG.md'), { version, epochS, maintainer }));
  const documents = readdirSync(join(ROOT, 'device-agent')).filter((name) => name.endsWith('.md'));
  for (const name of documents) copyFileSync(join(ROOT, 'device-agent', name), join(doc, name));
  // systemd sets a clock that shows less to this file's time when it starts: a Pi has no battery for its own.
  writeFileSync(join(tree, 'usr/lib/clock-epoch'), '');
}

/** Rights and times that do not tell who has built it when. */
function settle(tree, epochS) {
  const all = readdirSync(tree, { recursive: true, withFileTypes: true });
  for (const entry of [...all, tree]) {
    const path = entry === tree ? tree : join(entry.parentPath, entry.name);
    const isFolder = lstatSync(path).isDirectory();
    const isProgram = PROGRAM_MODE.test(path.slice(tree.length));
    if (!lstatSync(path).isSymbolicLink()) chmodSync(path, isFolder || isProgram ? 0o755 : 0o644);
    lutimesSync(path, epochS, epochS);
  }
}

function writeControl(tree, version) {
  const folder = join(tree, 'DEBIAN');
  const files = filesOf(tree);
  const sizeKiB = Math.ceil(files.reduce((sum, path) => sum + lstatSync(join(tree, path)).size, 0) / 1024);
  const sums = run('md5sum', ['--', ...files.filter((path) => lstatSync(join(tree, path)).isFile())], { cwd: tree });
  mkdirSync(folder);
  // Sockets are there before those who ask at them; the guard is the last to be restarted.
  const turnOf = (unit) => (unit.endsWith('.socket') ? 0 : unit.includes('guard') ? 2 : 1);
  const units = deviceUnits().sort((a, b) => turnOf(a) - turnOf(b));
  const fill = (name) =>
    readFileSync(join(HERE, 'debian', name), 'utf8')
      .replaceAll('@VERSION@', version)
      .replaceAll('@INSTALLED_SIZE@', String(sizeKiB))
      .replaceAll('@UNITS@', units.join(' '));
  for (const name of ['control', 'conffiles', ...SCRIPTS]) {
    writeFileSync(join(folder, name), fill(name));
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
  await orExplain(() => {
    needPrograms(PACKAGE_PROGRAMS);
    return asOnlyBuild(async () => say(`Done: ${await buildPackage()}`));
  });
}
