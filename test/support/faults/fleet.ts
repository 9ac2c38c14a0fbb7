import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Program } from '../processes/program';
import type { FleetOrders } from './fleet-process';

/** A link that held for 5 s counts as good, so that its device comes back as if it had never failed. */
export const STEADY_MS = 5_500;
/** As long as a supervisor waits before it starts a killed server again. */
export const AWAY_MS = 1_000;
/** The devices are split over so many processes: one alone would keep a processor busy, and be what is waited for. */
const PROCESSES = 2;
/** A server holds 250 unproven links of one address; devices behind one are few. */
const DEVICES_AT_ADDRESS = 50;

/** Devices that are nothing but their links, in processes of their own. They come back by themselves. */
export class Fleet {
  readonly #programs: readonly Program[];
  #times = 0;

  private constructor(programs: readonly Program[]) {
    this.#programs = programs;
  }

  /** Starts them all at once, each new to the server; `allLinked` tells when they are there. */
  static async start({ products, ...orders }: Omit<FleetOrders, 'from'>): Promise<Fleet> {
    const folder = mkdtempSync(join(tmpdir(), 'rg-fleet-'));
    const from = Array.from({ length: Math.ceil(products.length / DEVICES_AT_ADDRESS) }, (_, n) => addressOf(n));
    const programs = await Promise.all(
      Array.from({ length: PROCESSES }, (_, number) => {
        const share = products.filter((__, n) => n % PROCESSES === number);
        const file = join(folder, `${number}.json`);
        writeFileSync(file, JSON.stringify({ ...orders, products: share, from } satisfies FleetOrders));
        return Program.start({ name: 'fleet', file: 'test/dist/support/faults/fleet-process.js', args: [file] });
      }),
    );
    for (const program of programs) void program.ended.then(() => rmSync(folder, { recursive: true, force: true }));
    return new Fleet(programs);
  }

  /** When the last one was linked, on CLOCK_MONOTONIC: at first, and then each time after all were seen away. */
  async allLinked(limitMs: number): Promise<number> {
    this.#times += 1;
    const line = new RegExp(`^all linked ${this.#times} at (\\S+)$`);
    const found = await Promise.all(this.#programs.map((program) => program.line(line, limitMs)));
    return Math.max(...found.map(([, atMs]) => Number(atMs)));
  }

  async stop(): Promise<void> {
    await Promise.all(this.#programs.map((program) => program.stop()));
  }
}

/** Of the loopback network, beyond those that other tests use. */
function addressOf(n: number): string {
  return `127.0.${16 + Math.floor(n / 250)}.${1 + (n % 250)}`;
}
