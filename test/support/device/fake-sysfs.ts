/**
 * /sys/class/gpio in memory, behind Node's own file functions: onoff has its path built in, so its calls are caught on
 * their way. What the kernel does is in drivers/gpio/gpiolib-sysfs.c. Every change of a line's level is an edge.
 */
import fs from 'node:fs';
import type { Level } from '@relaygate/shared/device';

const ROOT = '/sys/class/gpio';

interface Line {
  pull: Level;
  /** What is connected to an input holds it there; null: nothing is. */
  connected: Level | null;
  edge: 'none' | 'both';
  /** The level it is driven to; null: an input. */
  driven: Level | null;
  isExported: boolean;
  isInverted: boolean;
  /** Of another way into the kernel: exporting is EBUSY. */
  isHeld: boolean;
}

export interface FakeSysfsOptions {
  label: string;
  base: number;
  pulls: readonly Level[];
  nowMs(): number;
  /** A line stays driven when it is unexported, as on Raspberry Pi OS. */
  keepsOutputs: boolean;
}

export class FakeSysfs {
  readonly edges: { offset: number; level: Level; atMs: number }[] = [];
  /** Every write, `gpio529/direction=high`. */
  readonly writes: string[] = [];
  /** Writes to paths that match fail with EACCES. */
  denied: RegExp | null = null;
  /** A chip without has no files `edge`. */
  hasInterrupts = true;
  #isGone = false;
  readonly #options: FakeSysfsOptions;
  readonly #lines: Line[];
  readonly #open = new Map<number, string>();
  readonly #nodes: Pick<typeof fs, CaughtName>;

  constructor(options: FakeSysfsOptions) {
    this.#options = options;
    this.#lines = options.pulls.map((pull) => ({
      pull,
      connected: null,
      edge: 'none',
      driven: null,
      isExported: false,
      isInverted: false,
      isHeld: false,
    }));
    this.#nodes = Object.fromEntries(CAUGHT.map((name) => [name, fs[name]])) as Pick<typeof fs, CaughtName>;
    Object.assign(fs, this.#functions());
  }

  /** Gives Node its functions back. */
  remove(): void {
    for (const fd of this.#open.keys()) this.#nodes.closeSync(fd);
    this.#open.clear();
    Object.assign(fs, this.#nodes);
  }

  levelOf(offset: number): Level {
    const { driven, connected, pull } = this.#line(offset);
    return driven ?? connected ?? pull;
  }

  isExported(offset: number): boolean {
    return this.#line(offset).isExported;
  }

  /** Something outside brings an input to a level; it does not fight against what the kernel drives. */
  connect(offset: number, level: Level): void {
    const before = this.levelOf(offset);
    const line = this.#line(offset);
    line.connected = level;
    if (line.edge === 'none' || this.levelOf(offset) === before) return;
    const value = `gpio${this.#options.base + offset}/value`;
    for (const [fd, path] of this.#open) if (path === value) FakeEpoll.notify(fd);
  }

  /** The chip is unplugged: whoever has its files open hears of it, and cannot read them. */
  goAway(): void {
    this.#isGone = true;
    for (const fd of this.#open.keys()) FakeEpoll.notify(fd);
  }

  /** What others have done to the line before. */
  change(offset: number, to: Partial<Omit<Line, 'pull'>>): void {
    Object.assign(this.#line(offset), to);
  }

  #functions(): object {
    const nodes = this.#nodes;
    const inside = (path: unknown): string | null =>
      typeof path === 'string' && (path === ROOT || path.startsWith(`${ROOT}/`)) ? path.slice(ROOT.length + 1) : null;
    const catching = <Name extends CaughtName>(name: Name, answer: (path: string, ...rest: unknown[]) => unknown) => ({
      [name]: (...args: unknown[]) => {
        const path = typeof args[0] === 'number' ? this.#open.get(args[0]) : inside(args[0]);
        if (path === undefined || path === null) return Reflect.apply(nodes[name], fs, args);
        return answer(path, ...args.slice(1));
      },
    });
    return {
      ...catching('existsSync', (path) => this.#has(path)),
      ...catching('readdirSync', () => ['export', 'unexport', `gpiochip${this.#options.base}`]),
      ...catching('readFileSync', (path) => this.#textAs(this.#read(path))),
      ...catching('accessSync', (path) => this.#check(path)),
      ...catching('writeFileSync', (path, text) => this.#write(path, String(text))),
      ...catching('openSync', (path) => {
        this.#check(path);
        // A real file descriptor, for onoff hands it to epoll.
        const fd = nodes.openSync('/dev/null', 'r+');
        this.#open.set(fd, path);
        return fd;
      }),
      ...catching('writeSync', (path, bytes) => this.#write(path, String(bytes))),
      ...catching('readSync', (path, bytes) => (bytes as Buffer).write(this.#read(path), 0)),
      closeSync: (fd: number) => {
        this.#open.delete(fd);
        nodes.closeSync(fd);
      },
    };
  }

  #textAs(text: string): string {
    return `${text}\n`;
  }

  #has(path: string): boolean {
    if (!this.hasInterrupts && path.endsWith('/edge')) return false;
    const number = /^gpio(\d+)(\/|$)/.exec(path)?.[1];
    if (number === undefined) return true;
    return this.#lines[Number(number) - this.#options.base]?.isExported ?? false;
  }

  #check(path: string): void {
    if (!this.#has(path)) throw failure('ENOENT', path);
    if (this.denied?.test(path)) throw failure('EACCES', path);
  }

  #read(path: string): string {
    if (!this.#has(path)) throw failure('ENOENT', path);
    if (this.#isGone) throw failure('ENODEV', path);
    const { label, base } = this.#options;
    const [, number, file] = /^gpio(?:chip)?(\d+)\/(\w+)$/.exec(path) ?? [];
    if (file === 'label') return label;
    if (file === 'base') return String(base);
    if (file === 'ngpio') return String(this.#lines.length);
    const offset = Number(number) - base;
    const line = this.#line(offset);
    if (file === 'direction') return line.driven === null ? 'in' : 'out';
    if (file === 'edge') return line.edge;
    if (file === 'active_low') return line.isInverted ? '1' : '0';
    if (file === 'value') return (this.levelOf(offset) === 'high') === line.isInverted ? '0' : '1';
    throw failure('ENOENT', path);
  }

  #write(path: string, text: string): void {
    this.writes.push(`${path}=${text}`);
    this.#check(path);
    if (path === 'export' || path === 'unexport') return this.#export(Number(text), path === 'export');
    const [, number, file] = /^gpio(\d+)\/(\w+)$/.exec(path) ?? [];
    const offset = Number(number) - this.#options.base;
    const line = this.#line(offset);
    // "out" is "low"; high and low are physical, whatever active_low says.
    if (file === 'direction') this.#move(offset, text === 'in' ? null : text === 'high' ? 'high' : 'low');
    else if (file === 'edge' && line.driven !== null) throw failure('EIO', path);
    else if (file === 'edge') line.edge = text === 'both' ? 'both' : 'none';
    else if (file === 'active_low') line.isInverted = text === '1';
    else if (file === 'value' && line.driven === null) throw failure('EPERM', path);
    else if (file === 'value') this.#move(offset, (text === '1') === line.isInverted ? 'low' : 'high');
    else throw failure('ENOENT', path);
  }

  #export(number: number, isExported: boolean): void {
    const offset = number - this.#options.base;
    const line = this.#lines[offset];
    if (!line) throw failure('EINVAL', String(number));
    if (isExported && (line.isExported || line.isHeld)) throw failure('EBUSY', String(number));
    if (!isExported && !line.isExported) throw failure('EINVAL', String(number));
    line.isExported = isExported;
    if (!isExported && !this.#options.keepsOutputs) this.#move(offset, null);
  }

  #move(offset: number, driven: Level | null): void {
    const line = this.#line(offset);
    const before = this.levelOf(offset);
    line.driven = driven;
    const level = this.levelOf(offset);
    if (level !== before) this.edges.push({ offset, level, atMs: this.#options.nowMs() });
  }

  #line(offset: number): Line {
    const line = this.#lines[offset];
    if (!line) throw new Error(`the test has no line ${offset}`);
    return line;
  }
}

/** In the place of the package epoll: /dev/null has no edges. One call a turn of the event loop for what has happened until then. */
export class FakeEpoll {
  static readonly EPOLLPRI = 2;
  static readonly #watched = new Map<number, FakeEpoll>();
  static readonly #ready = new Set<number>();
  readonly heard: (error: null, fd: number, events: number) => void;

  constructor(heard: (error: null, fd: number, events: number) => void) {
    this.heard = heard;
  }

  static notify(fd: number): void {
    if (FakeEpoll.#ready.has(fd)) return;
    FakeEpoll.#ready.add(fd);
    setImmediate(() => {
      // Another file may have its number by now.
      if (!FakeEpoll.#ready.delete(fd)) return;
      FakeEpoll.#watched.get(fd)?.heard(null, fd, FakeEpoll.EPOLLPRI);
    });
  }

  add(fd: number): this {
    FakeEpoll.#watched.set(fd, this);
    return this;
  }

  remove(fd: number): this {
    FakeEpoll.#watched.delete(fd);
    FakeEpoll.#ready.delete(fd);
    return this;
  }
}

const CAUGHT = [
  'existsSync',
  'readdirSync',
  'readFileSync',
  'accessSync',
  'writeFileSync',
  'openSync',
  'writeSync',
  'readSync',
  'closeSync',
] as const;
type CaughtName = (typeof CAUGHT)[number];

function failure(code: string, path: string): Error {
  return Object.assign(new Error(`${code}: ${path}`), { code });
}
