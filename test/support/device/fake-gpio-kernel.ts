/**
 * A kernel with GPIO chips in memory: what drivers/gpio/gpiolib-cdev.c makes of the calls on /dev/gpiochip*, read from
 * their bytes by offsets of its own. Every change of a line's level is an edge.
 */
import type { GpioKernel } from '@relaygate/device-agent/relay/gpio-kernel';
import type { Level } from '@relaygate/shared/device';

export interface FakeChip {
  path: string;
  label: string;
  /** The level of each line while nobody drives it. */
  pulls: readonly Level[];
}

export interface FakeEdge {
  label: string;
  offset: number;
  level: Level;
  atMs: number;
}

interface Line {
  pull: Level;
  /** What is connected to the line holds it there, against any pull; null: nothing is. */
  connected: Level | null;
  /** The level it is driven to; null: an input. */
  driven: Level | null;
  holder: string | null;
}

interface Chip {
  path: string;
  label: string;
  lines: Line[];
  /** Answers ENODEV. */
  isGone: boolean;
}

interface LineRequest {
  kind: 'request';
  chip: Chip;
  offsets: number[];
  /** null: no edges are asked for. */
  events: { bytes: Buffer[]; max: number } | null;
}
type OpenFile = { kind: 'chip'; chip: Chip } | LineRequest;

export interface FakeGpioKernelOptions {
  chips: readonly FakeChip[];
  nowMs(): number;
  /** As on Raspberry Pi OS (pinctrl_bcm2835.persist_gpio_outputs=1): a line stays driven when its request ends. */
  keepsOutputs: boolean;
}

const OUTPUT = 8n;
const DIRECTIONS = 12n;
const EDGES = 0x30n;
/** A line without a resistor and without a wire reads low here. */
const PULLS: ReadonlyMap<bigint, Level> = new Map([
  [0x100n, 'high'],
  [0x200n, 'low'],
  [0x400n, 'low'],
]);
const BIASES = 0x700n;

export class FakeGpioKernel {
  readonly edges: FakeEdge[] = [];
  /** Set: every call on a request fails with this. */
  failure: string | null = null;
  /** Set: outputs with a resistor are refused with this. */
  refusalOfBias: string | null = null;
  /** Set: edges are refused with this, as of a line without an interrupt. */
  refusalOfEdges: string | null = null;
  /** So many calls that end a watch or close a file do what they should, and then throw. */
  failingEnds = 0;
  readonly #options: FakeGpioKernelOptions;
  readonly #chips: Chip[];
  readonly #files = new Map<number, OpenFile>();
  /** In the order in which they have their turn. */
  readonly #watches = new Map<number, () => void>();
  #hasTurn = false;
  #nextFd = 10;

  constructor(options: FakeGpioKernelOptions) {
    this.#options = options;
    this.#chips = options.chips.map(({ path, label, pulls }) => ({
      path,
      label,
      lines: pulls.map((pull) => ({ pull, connected: null, driven: null, holder: null })),
      isGone: false,
    }));
  }

  /** The kernel as one process sees it; `kill` closes what it has open, as its death does. */
  newProcess(): { kernel: GpioKernel; openFiles(): number; kill(): void } {
    const mine = new Set<number>();
    const kernel: GpioKernel = {
      chips: () => this.#chips.filter(({ isGone }) => !isGone).map(({ path }) => path),
      open: (path) => {
        const chip = this.#chips.find((candidate) => candidate.path === path && !candidate.isGone);
        if (!chip) throw failure('ENOENT');
        return this.#newFile({ kind: 'chip', chip }, mine);
      },
      ioctl: (fd, request, argument) => {
        const file = mine.has(fd) ? this.#files.get(fd) : undefined;
        if (!file) throw failure('EBADF');
        this.#ioctl(file, request, argument, mine);
      },
      read: (fd, bytes) => {
        const file = mine.has(fd) ? this.#files.get(fd) : undefined;
        if (file?.kind !== 'request') throw failure('EBADF');
        return this.#read(file, bytes);
      },
      watch: (fd, ready) => {
        if (!mine.has(fd) || this.#watches.has(fd)) throw failure('EBADF');
        this.#watches.set(fd, ready);
        this.#turn();
        return () => {
          this.#watches.delete(fd);
          this.#failEnd();
        };
      },
      close: (fd) => {
        // A file descriptor that is closed is given to another file soon.
        if (this.#watches.has(fd)) throw new Error(`the test's file ${fd} is closed while it is watched`);
        if (!mine.delete(fd)) throw failure('EBADF');
        this.#close(fd);
        this.#failEnd();
      },
    };
    const kill = (): void => {
      for (const fd of mine) {
        this.#watches.delete(fd);
        this.#close(fd);
      }
      mine.clear();
    };
    return { kernel, openFiles: () => mine.size, kill };
  }

  levelOf(label: string, offset: number): Level {
    return levelAt(this.#line(label, offset));
  }

  isDriven(label: string, offset: number): boolean {
    return this.#line(label, offset).driven !== null;
  }

  /** Somebody else takes the line, or lets go of it. */
  hold(label: string, offset: number, holder: string | null): void {
    this.#line(label, offset).holder = holder;
  }

  /** Drives the line as a process before has, without an edge in the log. */
  leaveDriven(label: string, offset: number, level: Level): void {
    this.#line(label, offset).driven = level;
  }

  /** Something outside brings an input to a level; it does not fight against what the kernel drives. */
  connect(label: string, offset: number, level: Level): void {
    const line = this.#line(label, offset);
    const before = levelAt(line);
    line.connected = level;
    if (levelAt(line) !== before) this.#event(label, offset, level);
  }

  /** The chip's cable is pulled; `plugIn` brings it back with its lines as inputs. */
  unplug(label: string): void {
    this.#chip(label).isGone = true;
    this.#turn();
  }

  plugIn(label: string): void {
    const chip = this.#chip(label);
    chip.isGone = false;
    for (const line of chip.lines) Object.assign(line, { driven: null, holder: null });
  }

  #ioctl(file: OpenFile, request: number, bytes: Buffer, mine: Set<number>): void {
    if (file.chip.isGone) throw failure('ENODEV');
    // The size of the argument stands in the request code.
    if (((request >>> 16) & 0x3fff) !== bytes.length) throw failure('EFAULT');
    const number = request & 0xffff;
    if (file.kind === 'chip') {
      if (number === 0xb401) return this.#chipInfo(file.chip, bytes);
      if (number === 0xb405) return this.#lineInfo(file.chip, bytes);
      if (number === 0xb407) return this.#request(file.chip, bytes, mine);
    } else {
      if (this.failure !== null) throw failure(this.failure);
      if (number === 0xb40d) return this.#setConfig(file, bytes, 0);
      if (number === 0xb40e) return this.#getValues(file, bytes);
      if (number === 0xb40f) return this.#setValues(file, bytes);
    }
    throw failure('ENOTTY');
  }

  #chipInfo({ path, label, lines }: Chip, bytes: Buffer): void {
    bytes.write(path.slice('/dev/'.length), 0, 'ascii');
    bytes.write(label, 32, 'ascii');
    bytes.writeUInt32LE(lines.length, 64);
  }

  #lineInfo({ lines }: Chip, bytes: Buffer): void {
    const line = lines[bytes.readUInt32LE(64)];
    if (!line) throw failure('EINVAL');
    bytes.write(line.holder ?? '', 32, 'ascii');
    bytes.writeBigUInt64LE((line.holder === null ? 0n : 1n) | (line.driven === null ? 4n : 8n), 72);
  }

  #request(chip: Chip, bytes: Buffer, mine: Set<number>): void {
    const offsets = Array.from({ length: bytes.readUInt32LE(560) }, (_, n) => bytes.readUInt32LE(n * 4));
    if (offsets.length === 0 || offsets.length > 64) throw failure('EINVAL');
    if (offsets.some((offset) => !chip.lines[offset])) throw failure('EINVAL');
    const lines = offsets.map((offset) => this.#lineOf(chip, offset));
    if (lines.some(({ holder }) => holder !== null) || new Set(lines).size !== lines.length) throw failure('EBUSY');
    const consumer = bytes.toString('ascii', 256, bytes.indexOf(0, 256));
    const hasEdges = offsets.some((_offset, n) => (flagsOf(bytes, 288, n) & EDGES) !== 0n);
    if (hasEdges && this.refusalOfEdges !== null) throw failure(this.refusalOfEdges);
    for (const line of lines) line.holder = consumer;
    const max = bytes.readUInt32LE(564) || 16 * offsets.length;
    const file: OpenFile = { kind: 'request', chip, offsets, events: hasEdges ? { bytes: [], max } : null };
    this.#setConfig(file, bytes, 288);
    bytes.writeInt32LE(this.#newFile(file, mine), 588);
  }

  /** Lines without a direction in it stay as they are. */
  #setConfig({ chip, offsets }: LineRequest, bytes: Buffer, at: number): void {
    for (const [n, offset] of offsets.entries()) {
      const flags = flagsOf(bytes, at, n);
      const bias = [...PULLS.keys()].filter((flag) => (flags & flag) !== 0n);
      if ((flags & ~(DIRECTIONS | BIASES | EDGES)) !== 0n || (flags & DIRECTIONS) === DIRECTIONS)
        throw failure('EINVAL');
      // At most one resistor, and none without a direction.
      if ((flags & EDGES) !== 0n && (flags & OUTPUT) !== 0n) throw failure('EINVAL');
      if (bias.length > 1 || (bias.length > 0 && (flags & DIRECTIONS) === 0n)) throw failure('EINVAL');
      if ((flags & DIRECTIONS) === 0n) continue;
      if (this.refusalOfBias !== null && bias.length > 0) throw failure(this.refusalOfBias);
      const pull = PULLS.get(bias[0] ?? 0n);
      const bits = attributeOf(bytes, at, n, 2) ?? 0n;
      const level = (bits >> BigInt(n)) & 1n ? 'high' : 'low';
      this.#move(chip, offset, (flags & OUTPUT) !== 0n ? level : null, pull);
    }
  }

  #setValues({ chip, offsets }: LineRequest, bytes: Buffer): void {
    const [bits, mask] = [bytes.readBigUInt64LE(0), bytes.readBigUInt64LE(8)];
    const chosen = [...offsets.entries()].filter(([n]) => ((mask >> BigInt(n)) & 1n) === 1n);
    if (chosen.some(([, offset]) => this.#lineOf(chip, offset).driven === null)) throw failure('EPERM');
    for (const [n, offset] of chosen) this.#move(chip, offset, (bits >> BigInt(n)) & 1n ? 'high' : 'low');
  }

  #getValues({ chip, offsets }: LineRequest, bytes: Buffer): void {
    const mask = bytes.readBigUInt64LE(8);
    const bits = offsets.reduce((sum, offset, n) => {
      return levelAt(this.#lineOf(chip, offset)) === 'high' ? sum | (1n << BigInt(n)) : sum;
    }, 0n);
    bytes.writeBigUInt64LE(bits & mask, 0);
  }

  #failEnd(): void {
    this.failingEnds -= 1;
    if (this.failingEnds >= 0) throw failure('EIO');
  }

  #close(fd: number): void {
    const file = this.#files.get(fd);
    this.#files.delete(fd);
    if (file?.kind !== 'request' || file.chip.isGone) return;
    for (const offset of file.offsets) {
      this.#lineOf(file.chip, offset).holder = null;
      if (!this.#options.keepsOutputs) this.#move(file.chip, offset, null);
    }
  }

  /** Whole events, as many as there is room for. */
  #read({ chip, events }: LineRequest, bytes: Buffer): number {
    if (chip.isGone) throw failure('ENODEV');
    if (this.failure !== null) throw failure(this.failure);
    if (events === null) throw failure('EINVAL');
    return Buffer.concat(events.bytes.splice(0, Math.floor(bytes.length / 48))).copy(bytes);
  }

  /** An edge of an input; of a full buffer the oldest goes. */
  #event(label: string, offset: number, level: Level): void {
    for (const file of this.#files.values()) {
      if (file.kind !== 'request' || file.events === null) continue;
      if (file.chip.label !== label || !file.offsets.includes(offset)) continue;
      const bytes = Buffer.alloc(48);
      bytes.writeBigUInt64LE(BigInt(Math.round(this.#options.nowMs() * 1e6)));
      bytes.writeUInt32LE(level === 'high' ? 1 : 2, 8);
      bytes.writeUInt32LE(offset, 12);
      if (file.events.bytes.length >= file.events.max) file.events.bytes.shift();
      file.events.bytes.push(bytes);
      this.#turn();
    }
  }

  /** Who watches is called one after the other, one a turn of the event loop, as long as there is something to read. */
  #turn(): void {
    if (this.#hasTurn || !this.#nextReady()) return;
    this.#hasTurn = true;
    setImmediate(() => {
      this.#hasTurn = false;
      const next = this.#nextReady();
      if (next === null) return;
      const [fd, ready] = next;
      this.#watches.delete(fd);
      this.#watches.set(fd, ready);
      ready();
      this.#turn();
    });
  }

  #nextReady(): [number, () => void] | null {
    const isReady = ([fd]: [number, () => void]): boolean => {
      const file = this.#files.get(fd);
      return file?.kind === 'request' && (file.chip.isGone || (file.events?.bytes.length ?? 0) > 0);
    };
    return [...this.#watches].find(isReady) ?? null;
  }

  #move(chip: Chip, offset: number, driven: Level | null, pull?: Level): void {
    const line = this.#lineOf(chip, offset);
    const before = levelAt(line);
    line.driven = driven;
    line.pull = pull ?? line.pull;
    const level = levelAt(line);
    if (level !== before) this.edges.push({ label: chip.label, offset, level, atMs: this.#options.nowMs() });
  }

  #newFile(file: OpenFile, mine: Set<number>): number {
    const fd = this.#nextFd;
    this.#nextFd += 1;
    this.#files.set(fd, file);
    mine.add(fd);
    return fd;
  }

  #chip(label: string): Chip {
    const chip = this.#chips.find((candidate) => candidate.label === label);
    if (!chip) throw new Error(`the test has no chip ${label}`);
    return chip;
  }

  #line(label: string, offset: number): Line {
    return this.#lineOf(this.#chip(label), offset);
  }

  #lineOf(chip: Chip, offset: number): Line {
    const line = chip.lines[offset];
    if (!line) throw new Error(`the test's chip ${chip.label} has no line ${offset}`);
    return line;
  }
}

function levelAt({ driven, connected, pull }: Line): Level {
  return driven ?? connected ?? pull;
}

function flagsOf(bytes: Buffer, at: number, n: number): bigint {
  return attributeOf(bytes, at, n, 1) ?? bytes.readBigUInt64LE(at);
}

/** The attribute of this id for the n-th line of a request, in the config that begins at `at`; null: there is none. */
function attributeOf(bytes: Buffer, at: number, n: number, id: number): bigint | null {
  for (let attribute = 0; attribute < bytes.readUInt32LE(at + 8); attribute += 1) {
    const begin = at + 32 + attribute * 24;
    const isFor = ((bytes.readBigUInt64LE(begin + 16) >> BigInt(n)) & 1n) === 1n;
    if (bytes.readUInt32LE(begin) === id && isFor) return bytes.readBigUInt64LE(begin + 8);
  }
  return null;
}

function failure(code: string): Error {
  return Object.assign(new Error(`${code}: a call on the kernel of the test`), { code });
}
