/** The modules that a kernel needs for a device, in the order in which they are to be loaded. */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';

const MODULE_LIMIT_BYTES = 64 * 1024 * 1024;

/**
 * Unpacks the wanted modules and what they depend on into a folder, as `01-name.ko` and up. `release`: the folder of
 * one kernel, `lib/modules/RELEASE`. What is no module there counts as built in.
 */
export function writeModules(release: string, wanted: readonly string[], into: string): void {
  const packed = new Map<string, string>();
  for (const file of readdirSync(release, { recursive: true, encoding: 'utf8' })) {
    const name = basename(file).match(/^(.+)\.ko(\.xz)?$/)?.[1];
    if (name !== undefined) packed.set(plain(name), join(release, file));
  }
  const loaded = new Set<string>();
  mkdirSync(into, { recursive: true });
  const load = (name: string): void => {
    const file = packed.get(plain(name));
    if (file === undefined || loaded.has(plain(name))) return;
    loaded.add(plain(name));
    const module = unpacked(file);
    for (const other of dependenciesOf(module)) load(other);
    const place = String(readdirSync(into).length + 1).padStart(2, '0');
    writeFileSync(join(into, `${place}-${plain(name)}.ko`), module);
  };
  for (const name of wanted) {
    if (!packed.has(plain(name)) && !existsSync(join(release, 'modules.builtin'))) throw new Error(`no module ${name}`);
    load(name);
  }
}

/** The kernel takes `-` and `_` in a module's name for the same. */
const plain = (name: string): string => name.replaceAll('-', '_');

function unpacked(file: string): Buffer {
  return execFileSync('xz', ['-dcf', file], { maxBuffer: MODULE_LIMIT_BYTES });
}

/** From its .modinfo section: `depends=a,b` between zero bytes. */
function dependenciesOf(module: Buffer): string[] {
  const [, names = ''] = module.toString('latin1').match(/\0depends=([^\0]*)\0/) ?? [];
  return names.split(',').filter((name) => name !== '');
}
