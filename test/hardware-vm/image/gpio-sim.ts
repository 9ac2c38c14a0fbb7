/**
 * The kernel's own GPIO simulator, which Debian leaves out of its kernels: built from Debian's kernel source for
 * Debian's kernel.
 */
import { execFileSync } from 'node:child_process';
import { copyFileSync, cpSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { DebianPackages } from './debian-packages';

const BUILD_LIMIT_MS = 3 * 60_000;
const MODULE = 'gpio-sim';
const SOURCES = ['drivers/gpio/gpio-sim.c', 'drivers/gpio/gpiolib.h', 'kernel/irq/irq_sim.c'];
/** An object must not have the module's own name. */
const MAKEFILE = `obj-m := ${MODULE}.o\n${MODULE}-y := chip.o irq_sim.o\n`;
/** In the kernel these two are one; a module may call the second only. */
const INSIDE_CALL = /handle_simple_irq\(irq_to_desc\((\w+)\)\)/g;

export interface ModuleBuild {
  debian: DebianPackages;
  /** Of the kernel: `6.1.0-50-amd64`. */
  release: string;
  /** Where modules go that the machine loads, by their names' order. */
  folder: string;
  scratch: string;
}

export function writeGpioSim({ debian, release, folder, scratch }: ModuleBuild): void {
  const [version] = release.match(/^\d+\.\d+/) ?? [release];
  const headers = `linux-headers-${release}`;
  const needed = debian.dependenciesOf(headers).filter((name) => /^linux-(headers|kbuild)-/.test(name));
  const source = `linux-source-${version}`;
  const build = join(scratch, 'module');
  mkdirSync(build, { recursive: true });
  debian.unpackInto([headers, ...needed, source], scratch);
  const files = SOURCES.map((file) => `${source}/${file}`);
  run('tar', ['xf', join(scratch, 'usr/src', `${source}.tar.xz`), '-C', scratch, ...files]);
  copyFileSync(join(scratch, source, 'drivers/gpio/gpio-sim.c'), join(build, 'chip.c'));
  copyFileSync(join(scratch, source, 'drivers/gpio/gpiolib.h'), join(build, 'gpiolib.h'));
  const interrupts = readFileSync(join(scratch, source, 'kernel/irq/irq_sim.c'), 'utf8');
  writeFileSync(join(build, 'irq_sim.c'), interrupts.replace(INSIDE_CALL, 'generic_handle_irq($1)'));
  writeFileSync(join(build, 'Makefile'), MAKEFILE);
  const tree = join(scratch, 'usr/src', headers);
  // It names the place where its package would be installed.
  const makefile = readFileSync(join(tree, 'Makefile'), 'utf8');
  writeFileSync(join(tree, 'Makefile'), makefile.replaceAll(' /usr/src/', ` ${join(scratch, 'usr/src')}/`));
  run('make', ['-C', tree, `M=${build}`, 'modules']);
  const last = String(readdirSync(folder).length + 1).padStart(2, '0');
  cpSync(join(build, `${MODULE}.ko`), join(folder, `${last}-${MODULE}.ko`));
}

function run(command: string, args: readonly string[]): void {
  execFileSync(command, [...args], { timeout: BUILD_LIMIT_MS, stdio: ['ignore', 'ignore', 'pipe'] });
}
