/** One emulated Raspberry Pi 3: started, spoken to, always ended. */
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { PiImage } from '../image/pi-image';
import { Monitor } from './monitor';
import { Shell } from './shell';

const BOOT_LIMIT_MS = 120_000;
/** The kernel has powered the machine off by halting it, so QEMU never ends by itself; nobody waits longer than this. */
const LIFE_LIMIT_MS = 12 * 60_000;
const KEPT_LINES = 60;

export interface Machine {
  readonly monitor: Monitor;
  readonly shell: Shell;
  readonly bootMs: number;
  stop(): Promise<void>;
}

/** Resolves when the machine takes orders. `kernelArguments`: beside those that the machine needs. */
export async function bootPi(image: PiImage, kernelArguments: readonly string[]): Promise<Machine> {
  const startMs = performance.now();
  const folder = mkdtempSync(join(tmpdir(), 'rg-vm-'));
  const socket = join(folder, 'monitor.sock');
  const port = await freePort();
  const line = [
    ...['console=ttyS1,115200', 'rdinit=/sbin/init', 'panic=1', `relaygate.now=${Math.floor(Date.now() / 1000)}`],
    // QEMU gives each processor turns of 100 ms: with one for all programs, Linux decides who goes first.
    'isolcpus=1-3',
  ];
  const child = spawn(
    'setpriv',
    [
      // However this process ends, also by SIGKILL, the machine ends with it.
      ...['--pdeathsig', 'KILL', 'qemu-system-aarch64'],
      ...['-M', 'raspi3b', '-accel', 'tcg,thread=single', '-display', 'none', '-no-reboot'],
      ...['-kernel', image.kernel, '-dtb', image.deviceTree, '-initrd', image.initramfs],
      // ttyS1, because Bluetooth has the board's first serial line.
      ...['-serial', 'null', '-serial', 'stdio', '-append', [...line, ...kernelArguments].join(' ')],
      ...['-netdev', `user,id=net,hostfwd=tcp:127.0.0.1:${port}-:7000`, '-device', 'usb-net,netdev=net'],
      ...['-qmp', `unix:${socket},server=on,wait=off`],
    ],
    { stdio: ['ignore', 'pipe', 'pipe'] },
  );
  const console = new Console(child);
  const life = setTimeout(() => child.kill('SIGKILL'), LIFE_LIMIT_MS);
  const killAtExit = (): void => void child.kill('SIGKILL');
  process.once('exit', killAtExit);
  const ended = new Promise<void>((resolve) => child.once('close', () => resolve()));
  const stop = async (): Promise<void> => {
    clearTimeout(life);
    child.kill('SIGKILL');
    await ended;
    process.off('exit', killAtExit);
    rmSync(folder, { recursive: true, force: true });
  };
  try {
    await console.shows('guest: hands ready', BOOT_LIMIT_MS);
    const monitor = await Monitor.connect(socket);
    return { monitor, shell: new Shell(port), bootMs: performance.now() - startMs, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** The machine's serial line. */
class Console {
  #text = '';
  #look = (): void => {};
  #fail = (_error: Error): void => {};

  constructor(child: ChildProcess) {
    for (const stream of [child.stdout, child.stderr]) {
      stream?.setEncoding('utf8').on('data', (text: string) => {
        this.#text += text;
        this.#look();
      });
    }
    child.once('error', (error) => this.#fail(error));
    child.once('close', () => this.#fail(new Error(`QEMU has ended:\n${this.#lastLines()}`)));
  }

  shows(words: string, timeoutMs: number): Promise<void> {
    return new Promise((resolve, reject) => {
      const late = (): void => reject(new Error(`no "${words}" within ${timeoutMs} ms:\n${this.#lastLines()}`));
      const timer = setTimeout(late, timeoutMs);
      this.#fail = (error) => {
        clearTimeout(timer);
        reject(error);
      };
      this.#look = () => {
        if (!this.#text.includes(words)) return;
        clearTimeout(timer);
        resolve();
      };
      this.#look();
    });
  }

  #lastLines(): string {
    return this.#text.split('\n').slice(-KEPT_LINES).join('\n');
  }
}

/** Free at this moment; QEMU cannot choose one itself and tell it. */
function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer().once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      const port = typeof address === 'object' && address !== null ? address.port : 0;
      server.close(() => resolve(port));
    });
  });
}
