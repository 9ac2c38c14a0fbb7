import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { monotonicNowMs } from '@relaygate/shared/system';
import type { DeviceFolders } from '../support/device/device';
import { Program, ROOT } from '../support/processes/program';
import { guardStarted } from '../support/processes/watched-guards';
import { eventually } from '../support/time/waiting';

const UNIT = join(ROOT, 'hardware/systemd/relaygate-guard.service');
const OUTPUTS_OFF = join(ROOT, 'hardware/package/files/usr/lib/relaygate/bin/outputs-off');
const SYSTEMD_MS = { ms: 1, '': 1_000 } as const;

/** How the shipped unit has systemd run the guard. */
export interface ShippedUnit {
  readonly watchdogMs: number;
  readonly watchdogSignal: NodeJS.Signals;
  readonly restartMs: number;
  readonly nice: string;
}

export function shippedUnit(text = readFileSync(UNIT, 'utf8')): ShippedUnit {
  const value = (name: string): string => {
    const found = new RegExp(`^${name}=(.+)$`, 'm').exec(text)?.[1];
    if (found === undefined) throw new Error(`relaygate-guard.service has no ${name}=`);
    return found;
  };
  const spanMs = (name: string): number => {
    const [, count, unit = ''] = /^(\d+)(ms|)$/.exec(value(name)) ?? [];
    if (count === undefined) throw new Error(`${name}=${value(name)} is no time that this test reads`);
    return Number(count) * SYSTEMD_MS[unit as keyof typeof SYSTEMD_MS];
  };
  if (!/\/outputs-off$/.test(value('ExecStopPost'))) throw new Error('ExecStopPost= does not switch the outputs off');
  return {
    watchdogMs: spanMs('WatchdogSec'),
    watchdogSignal: value('WatchdogSignal') as NodeJS.Signals,
    restartMs: spanMs('RestartSec'),
    nice: value('Nice'),
  };
}

/**
 * The guard as the package's unit has it run: fed watchdog, `outputs-off` when it has ended, started again. It plays what
 * systemd does, for a test machine's systemd is not ours; the image proves the same with systemd itself.
 */
export class GuardService {
  readonly #folders: DeviceFolders;
  readonly #unit: ShippedUnit;
  readonly #ears: ChildProcess;
  #guard: Program | undefined;
  #watchdog: NodeJS.Timeout | undefined;
  #isStopping = false;
  #running: Promise<void> = Promise.resolve();
  /** `outputs-off` and guards, by their ids. */
  readonly pids: number[] = [];

  static async start(folders: DeviceFolders, unit = shippedUnit()): Promise<GuardService> {
    const socket = join(folders.runDir, 'notify');
    const ears = spawn('socat', ['-u', `UNIX-RECV:${socket}`, '-'], { stdio: ['ignore', 'pipe', 'inherit'] });
    const service = new GuardService(folders, unit, ears);
    try {
      await eventually(() => existsSync(socket));
      await service.#startGuard();
      return service;
    } catch (error) {
      await service.stop();
      throw error;
    }
  }

  private constructor(folders: DeviceFolders, unit: ShippedUnit, ears: ChildProcess) {
    this.#folders = folders;
    this.#unit = unit;
    this.#ears = ears;
    ears.stdout?.setEncoding('utf8').on('data', (text: string) => {
      if (/WATCHDOG=1|READY=1/.test(text)) this.#feed();
    });
  }

  /** The moment at which it was sent. */
  signal(signal: NodeJS.Signals): number {
    const atMs = monotonicNowMs();
    this.#guard?.kill(signal);
    return atMs;
  }

  /** Resolves once the guard that runs now has ended and another one is ready. */
  async replaced(): Promise<void> {
    await this.#guard?.ended;
    await this.#running;
  }

  async stop(): Promise<void> {
    this.#isStopping = true;
    clearTimeout(this.#watchdog);
    await this.#running.catch(() => {});
    this.#guard?.kill('SIGCONT');
    if (this.#guard?.running) await this.#guard.stop();
    this.#ears.kill();
  }

  async #startGuard(): Promise<void> {
    const { dataDir, runDir } = this.#folders;
    const isRoot = process.getuid?.() === 0;
    const guard = await Program.start({
      name: 'relaygate-guard',
      file: 'device-agent/bin/relaygate-guard.js',
      args: ['--data', dataDir, '--run', runDir],
      env: { NOTIFY_SOCKET: join(runDir, 'notify'), WATCHDOG_USEC: String(this.#unit.watchdogMs * 1_000) },
      through: [...(isRoot ? ['nice', '-n', this.#unit.nice] : []), ...['sh', '-c', 'WATCHDOG_PID=$$ exec "$@"', 'sh']],
    });
    this.#guard = guard;
    this.pids.push(guard.pid);
    guardStarted(guard.pid);
    void guard.ended.then(() => {
      clearTimeout(this.#watchdog);
      this.#running = this.#isStopping ? Promise.resolve() : this.#startAgain();
      // Who waits for the next one is told.
      this.#running.catch(() => {});
    });
    await guard.line(/ ready: /);
  }

  async #startAgain(): Promise<void> {
    const off = spawn(OUTPUTS_OFF, [join(this.#folders.runDir, 'off-orders')], {
      stdio: ['ignore', 'ignore', 'inherit'],
    });
    this.pids.push(off.pid ?? 0);
    await once(off, 'close');
    await new Promise((resume) => setTimeout(resume, this.#unit.restartMs));
    if (!this.#isStopping) await this.#startGuard();
  }

  #feed(): void {
    clearTimeout(this.#watchdog);
    this.#watchdog = setTimeout(() => this.#guard?.kill(this.#unit.watchdogSignal), this.#unit.watchdogMs);
  }
}
