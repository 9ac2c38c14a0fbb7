/** One emulated machine: started, spoken to, always ended. */
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '../../support/processes/free-port';
import type { VmImage } from '../image/vm-image';
import type { MachineKind } from './machine-kinds';
import { Monitor } from './monitor';
import { Shell } from './shell';

/** Long: a boot takes 10 s on a machine that has nothing else to do, and 90 s were seen on one that had. */
const BOOT_LIMIT_MS = 5 * 60_000;
/** The kernel has powered the machine off by halting it, so QEMU never ends by itself; nobody waits longer than this. */
const LIFE_LIMIT_MS = 20 * 60_000;
const KEPT_LINES = 60;

export interface Machine {
  readonly monitor: Monitor;
  readonly shell: Shell;
  readonly bootMs: number;
  /** QEMU's process, on which everything in it waits. */
  readonly pid: number;
  stop(): Promise<void>;
}

/** Resolves when the machine takes orders. `kernelArguments`: beside those that the machine needs. */
export async function boot(kind: MachineKind, image: VmImage, kernelArguments: readonly string[]): Promise<Machine> {
  const startMs = performance.now();
  const folder = mkdtempSync(join(tmpdir(), 'rg-vm-'));
  const socket = join(folder, 'monitor.sock');
  const port = await freePort();
  const line = ['rdinit=/sbin/init', 'panic=1', ...kind.kernelArguments];
  const child = spawn(
    'setpriv',
    [
      // However this process ends, also by SIGKILL, the machine ends with it.
      ...['--pdeathsig', 'KILL', kind.program, ...kind.options(image)],
      ...['-display', 'none', '-no-reboot', '-kernel', image.kernel, '-initrd', image.initramfs],
      ...['-append', [...line, ...kernelArguments].join(' ')],
      ...['-netdev', `user,id=net,hostfwd=tcp:127.0.0.1:${port}-:7000`, '-device', `${kind.networkCard},netdev=net`],
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
    const bootMs = performance.now() - startMs;
    return {
      monitor,
      shell: new Shell(port),
      bootMs,
      pid: child.pid ?? 0,
      stop,
    };
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
