import { execFileSync } from 'node:child_process';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';

/** Enough for ext4 with its journal and a small database. */
const IMAGE_BYTES = 32 * 1024 * 1024;
/**
 * EXT4_IOC_SHUTDOWN (`_IOR('X', 125, __u32)`, fs/ext4/ext4.h) with EXT4_GOING_FLAGS_NOLOGFLUSH: from here on nothing
 * reaches the disk, not even what the journal holds in memory. Node has no ioctl; every Debian has perl.
 */
const SHUTDOWN = `open(my $folder, '<', $ARGV[0]) or die "open: $!\\n";
my $flags = pack('L', 2);
defined(ioctl($folder, 0x8004587D, $flags)) or die "EXT4_IOC_SHUTDOWN: $!\\n";`;

/** The seventh figure (Documentation/block/stat.rst). */
const SECTORS_WRITTEN = 6;

/** A disk of its own whose power can be cut: ext4 in a file behind a loop device. Needs root. */
export class Ext4Image {
  readonly #home = mkdtempSync(join(tmpdir(), 'rg-ext4-'));
  readonly #image = join(this.#home, 'image');
  /** Where it is mounted. */
  readonly folder = join(this.#home, 'm');

  /** Made and mounted. Throws when this machine cannot. */
  constructor() {
    try {
      writeFileSync(this.#image, '');
      truncateSync(this.#image, IMAGE_BYTES);
      run('mkfs.ext4', '-q', '-F', this.#image);
      mkdirSync(this.folder);
      this.#mount();
    } catch (error) {
      rmSync(this.#home, { recursive: true });
      throw error;
    }
  }

  /** What was written so far stays. */
  sync(): void {
    run('sync', '-f', this.folder);
  }

  /** The power is gone: what was not synced is lost, and every further write fails. */
  losePower(): void {
    run('perl', '-e', SHUTDOWN, this.folder);
  }

  /**
   * The power is back: mounted again, from what the disk holds. Nobody may have a file of it open. It is a copy: where
   * another mount namespace still holds the disk that lost its power, `mount` would take that one again, and it fails
   * every access.
   */
  powerUp(): void {
    run('umount', this.folder);
    copyFileSync(this.#image, `${this.#image}.copy`);
    renameSync(`${this.#image}.copy`, this.#image);
    this.#mount();
  }

  /** How many sectors this disk was given to write since it was last mounted, what was still in memory too. */
  sectorsWritten(): number {
    this.sync();
    const mounted = readFileSync('/proc/self/mounts', 'utf8').split('\n');
    const [device = ''] = mounted.find((line) => line.split(' ')[1] === this.folder)?.split(' ') ?? [];
    const figures = readFileSync(`/sys/block/${basename(device)}/stat`, 'utf8')
      .trim()
      .split(/\s+/);
    return Number(figures[SECTORS_WRITTEN]);
  }

  remove(): void {
    run('umount', this.folder);
    rmSync(this.#home, { recursive: true });
  }

  #mount(): void {
    run('mount', '-o', 'loop', this.#image, this.folder);
  }
}

/** What keeps such a disk from working here, in words; undefined when it works. */
export function ext4ImageMissing(): string | undefined {
  let image: Ext4Image;
  try {
    image = new Ext4Image();
  } catch (error) {
    return `an ext4 image on a loop device (root, loop devices, e2fsprogs), for a power loss (T4): ${reasonOf(error)}`;
  }
  try {
    const file = join(image.folder, 'not-synced');
    writeFileSync(file, 'lost');
    image.losePower();
    image.powerUp();
    // Empty it may be: the disk has its name already, and not what was written.
    if (existsSync(file) && readFileSync(file, 'utf8') === 'lost')
      return 'a power cut that loses what was not synced, for a power loss (T4): the file was there again';
    return undefined;
  } catch (error) {
    return `EXT4_IOC_SHUTDOWN (Linux 4.10, perl), for a power loss (T4): ${reasonOf(error)}`;
  } finally {
    image.remove();
  }
}

function run(program: string, ...args: string[]): void {
  execFileSync(program, args, { stdio: ['ignore', 'ignore', 'pipe'] });
}

function reasonOf(error: unknown): string {
  const { stderr, message } = error as { stderr?: Buffer; message: string };
  return (stderr?.toString() || message).trim();
}
