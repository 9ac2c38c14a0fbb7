/** A card with the image that was built: a copy, so that what the machine writes touches no other test. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const LIMIT_MS = 120_000;
/** Where the boot partition begins (hardware/image/disk.mjs). */
const BOOT_OFFSET = '4M';
const DEVICE_TREE = 'bcm2837-rpi-3-b.dtb';

export class Card {
  /** The device of the emulated machine. */
  readonly file: string;
  readonly #folder: string;

  constructor(image: string) {
    this.#folder = mkdtempSync(join(tmpdir(), 'rg-card-'));
    this.file = join(this.#folder, 'card.img');
    run('cp', ['--sparse=always', image, this.file]);
    // QEMU's cards have sizes that are powers of two.
    truncateSync(this.file, 2 ** Math.ceil(Math.log2(statSync(this.file).size)));
  }

  /** Writes a file of the boot partition, as a PC does. */
  write(name: string, text: string): void {
    const file = join(this.#folder, 'text');
    writeFileSync(file, text);
    run('mcopy', ['-o', '-i', this.#partition, file, `::/${name}`]);
  }

  /** A text of the boot partition; null: there is no such file. */
  read(name: string): string | null {
    try {
      return run('mtype', ['-i', this.#partition, `::/${name}`]);
    } catch (error) {
      if (String(error).includes('not found')) return null;
      throw error;
    }
  }

  /** What the Raspberry Pi's firmware would read, for QEMU, which has none. */
  bootFiles(): { kernel: string; initrd: string; deviceTree: string; line: string } {
    const taken = ['vmlinuz', 'initrd.img', DEVICE_TREE].map((name) => {
      const file = join(this.#folder, name);
      run('mcopy', ['-n', '-i', this.#partition, `::/${name}`, file]);
      return file;
    });
    const [kernel = '', initrd = '', deviceTree = ''] = taken;
    return { kernel, initrd, deviceTree, line: (this.read('cmdline.txt') ?? '').trim() };
  }

  remove(): void {
    rmSync(this.#folder, { recursive: true, force: true });
  }

  get #partition(): string {
    return `${this.file}@@${BOOT_OFFSET}`;
  }
}

function run(program: string, args: readonly string[]): string {
  return execFileSync(program, args, { encoding: 'utf8', timeout: LIMIT_MS, stdio: ['ignore', 'pipe', 'pipe'] });
}
