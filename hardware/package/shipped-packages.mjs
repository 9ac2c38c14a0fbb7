// Which files of other people's packages a device gets: those that a program of ours loads, by name, as esbuild follows their
// imports; the native parts, which are loaded by a name that is computed; and each package's package.json and licence.
import { copyFileSync, existsSync, mkdirSync, readdirSync, realpathSync, rmSync, symlinkSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { LICENCE_FILE, licenceOf } from './debian-texts.mjs';
import { ROOT } from './workshop.mjs';

const MODULES = 'node_modules';
const OWN = `${MODULES}/@relaygate/`;
/** For this machine, and Debian's C library. */
const NATIVE = /(^|\/)(build\/Release\/[^/]+|prebuilds\/linux-arm64\/[^/]*glibc|linux_arm64\/[^/]+)\.node$/;
/** Loaded by koffi by a name that is computed. */
const LOADED_BY_NAME = /^node_modules\/@koromix\/koffi-linux-arm64\/index\.js$/;
/** Compiled into the page. */
const IN_PAGE = 'preact';
/** Its licence lies in another package of the same authors. */
const SAME_LICENCE = { '@koromix/koffi-linux-arm64': 'koffi' };

/** `from`: where npm has installed them. `folder`: has our programs at the same places. */
export async function copyLoadedPackages(from, folder) {
  // So that our programs' imports lead there.
  symlinkSync(join(from, MODULES), join(folder, MODULES));
  const loaded = await loadedFiles(from, folder);
  const wanted = readdirSync(from, { recursive: true }).filter(
    (path) => NATIVE.test(path) || LOADED_BY_NAME.test(path),
  );
  const files = new Set([...loaded, ...wanted]);
  for (const one of [...files]) {
    const home = packageOf(one);
    for (const name of readdirSync(join(from, home)))
      if (name === 'package.json' || LICENCE_FILE.test(name)) files.add(join(home, name));
    // package.json files between say whether a file is a module.
    for (let at = dirname(one); at.length > home.length; at = dirname(at))
      if (existsSync(join(from, at, 'package.json'))) files.add(join(at, 'package.json'));
  }
  rmSync(join(folder, MODULES));
  for (const file of files) {
    mkdirSync(join(folder, dirname(file)), { recursive: true });
    copyFileSync(join(from, file), join(folder, file));
  }
  mkdirSync(join(folder, OWN), { recursive: true });
  for (const name of ['shared', 'device-agent']) symlinkSync(`../../${name}`, join(folder, OWN, name));
}

/** Relative to `from`. Rejects where an import leads nowhere. */
async function loadedFiles(from, folder) {
  // Not there before npm has installed it.
  const { build } = await import('esbuild');
  const ours = ['device-agent/dist', 'device-agent/bin', 'shared/dist'].flatMap((part) =>
    readdirSync(join(folder, part), { recursive: true })
      .filter((path) => path.endsWith('.js'))
      .map((path) => join(folder, part, path)),
  );
  const { metafile } = await build({
    absWorkingDir: realpathSync(folder),
    entryPoints: ours,
    outdir: 'unused',
    bundle: true,
    write: false,
    metafile: true,
    platform: 'node',
    // As Node's require() resolves, and not as bundlers do.
    conditions: ['require'],
    external: ['@relaygate/*', '*.node'],
    logLevel: 'silent',
  });
  return Object.keys(metafile.inputs)
    .map((path) => relative(realpathSync(from), resolve(realpathSync(folder), path)))
    .filter((path) => path.startsWith(`${MODULES}/`));
}

/** The innermost: `node_modules/a/node_modules/@b/c`. */
function packageOf(file) {
  const at = file.lastIndexOf(`${MODULES}/`) + MODULES.length + 1;
  const [first, second] = file.slice(at).split('/');
  return file.slice(0, at) + (first.startsWith('@') ? join(first, second) : first);
}

/** Of all that npm has fetched, what is only compiled in included. */
export function licencesOf(from) {
  const homes = readdirSync(from, { recursive: true })
    .filter((path) => path.endsWith('/package.json') && packageOf(path) === dirname(path) && !path.startsWith(OWN))
    .map(dirname)
    .filter((home) => home.startsWith(`${MODULES}/`));
  return homes.sort().map((home) => ({
    ...licenceOf(join(from, home), readdirSync(join(from, home)), (name) => textOf(from, SAME_LICENCE[name])),
    files: `usr/lib/relaygate/${home}/*`,
  }));
}

function textOf(from, other) {
  if (other === undefined) return undefined;
  const home = join(from, MODULES, other);
  return licenceOf(home, readdirSync(home), () => undefined).text;
}

export function licenceOfPage() {
  const home = join(ROOT, MODULES, IN_PAGE);
  return {
    ...licenceOf(home, readdirSync(home), () => undefined),
    files: 'usr/lib/relaygate/device-agent/page/dist/app.js',
  };
}
