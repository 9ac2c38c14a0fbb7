/** A card for one site, as `relaygate-flash prepare` makes it from the image that was built. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Companion } from '../hardware-vm/machine/companion';
import { type Flashed, relaygateFlash, relaygateFlashWith } from '../support/processes/flash';

const LIMIT_MS = 120_000;
/** Where the boot partition begins (hardware/image/disk.mjs). */
const BOOT_OFFSET = '4M';
const DEVICE_TREE = 'bcm2837-rpi-3-b.dtb';

export class Card {
  /** The device of the emulated machine. */
  readonly file: string;
  /** Beside it: settings and label. */
  readonly siteFolder: string;
  readonly #folder: string;

  /** For the product of this server. `laptop`: the environment of relaygate-flash. */
  static prepareFor(
    { link, certificate, enrolmentCode }: Companion,
    image: string,
    files: Readonly<Record<string, string>>,
    options: readonly string[],
    laptop: Readonly<Record<string, string>> = {},
  ): Promise<Card> {
    const server = ['--server', link.serverUrl, '--server-name', link.serverName, '--product', link.productLogin];
    const given = { '--ca': certificate, '--enrolment-file': enrolmentCode, ...files };
    return Card.#prepare(image, given, [...server, ...options], laptop);
  }

  /** `files`: of options that name one, by the option; the others follow as they are. */
  static async #prepare(
    image: string,
    files: Readonly<Record<string, string>>,
    options: readonly string[],
    laptop: Readonly<Record<string, string>>,
  ): Promise<Card> {
    const card = new Card();
    try {
      const given = Object.entries(files).flatMap(([option, text]) => [option, card.#write(option.slice(2), text)]);
      const args = ['prepare', '--image', image, '--out', card.file, ...given, ...options];
      const { code, err } = await relaygateFlashWith(laptop, ...args);
      if (code !== 0) throw new Error(`relaygate-flash prepare: ${err}`);
      // QEMU's cards have sizes that are powers of two.
      truncateSync(card.file, 2 ** Math.ceil(Math.log2(statSync(card.file).size)));
      return card;
    } catch (error) {
      card.remove();
      throw error;
    }
  }

  private constructor() {
    this.#folder = mkdtempSync(join(tmpdir(), 'rg-card-'));
    this.file = join(this.#folder, 'card.img');
    this.siteFolder = join(this.#folder, 'card');
  }

  /** A text of the boot partition, as a PC reads it; null: there is no such file. */
  read(name: string): string | null {
    try {
      return run('mtype', ['-i', this.#partition, `::/${name}`]);
    } catch (error) {
      if (String(error).includes('not found')) return null;
      throw error;
    }
  }

  /** What the device says of itself. */
  get status(): string {
    try {
      return this.read('relaygate-status.txt') ?? '';
    } catch {
      // The machine writes it just now.
      return '';
    }
  }

  get label(): string {
    return readFileSync(join(this.siteFolder, 'label.svg'), 'utf8');
  }

  /** As its label has it. */
  get pin(): string {
    return />PIN (\d{8})</.exec(this.label)?.[1] ?? 'none';
  }

  /** The label with what the device has said so far. */
  completeLabel(): Promise<Flashed> {
    const status = this.#write('status', this.read('relaygate-status.txt') ?? '');
    return relaygateFlash('label', '--site', this.siteFolder, '--from', status);
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

  #write(name: string, text: string): string {
    const file = join(this.#folder, name);
    writeFileSync(file, text);
    return file;
  }

  get #partition(): string {
    return `${this.file}@@${BOOT_OFFSET}`;
  }
}

function run(program: string, args: readonly string[]): string {
  return execFileSync(program, args, { encoding: 'utf8', timeout: LIMIT_MS, stdio: ['ignore', 'pipe', 'pipe'] });
}
