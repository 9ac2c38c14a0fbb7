import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, constants, existsSync, openSync, rmSync } from 'node:fs';
import { eventually } from '../../time/waiting';

/**
 * A pseudo-terminal made by socat, as a USB adapter makes a port: whoever opens `path` talks with this side. Unplugged,
 * the path is gone and open files are hung up.
 */
export class Pty {
  readonly path: string;
  /** What has been written at `path`. */
  heard: (bytes: Uint8Array) => void;
  readonly #socat: ChildProcess;
  /** Without anybody at `path` socat would end. */
  #holding = -1;

  private constructor(path: string, socat: ChildProcess, heard: (bytes: Uint8Array) => void) {
    this.path = path;
    this.heard = heard;
    this.#socat = socat;
    socat.stdout?.on('data', (bytes: Buffer) => this.heard(bytes));
    // It may be unplugged while something is on its way.
    socat.stdin?.on('error', () => {});
  }

  /** Whoever waits for the port may write at once: `heard` misses nothing of it. */
  static async plug(path: string, heard: (bytes: Uint8Array) => void = () => {}): Promise<Pty> {
    const socat = spawn('socat', ['-', `pty,raw,echo=0,link=${path}`], { stdio: ['pipe', 'pipe', 'inherit'] });
    const pty = new Pty(path, socat, heard);
    await eventually(() => existsSync(path));
    pty.#holding = openSync(path, constants.O_RDWR | constants.O_NOCTTY | constants.O_NONBLOCK);
    return pty;
  }

  say(bytes: Uint8Array): void {
    this.#socat.stdin?.write(bytes);
  }

  async unplug(): Promise<void> {
    if (this.#holding < 0) return;
    closeSync(this.#holding);
    this.#holding = -1;
    const ended = new Promise((resolve) => this.#socat.once('exit', resolve));
    this.#socat.kill('SIGKILL');
    await ended;
    rmSync(this.path, { force: true });
  }
}
