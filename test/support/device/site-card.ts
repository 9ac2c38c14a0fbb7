import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Program } from '../processes/program';
import { makeDeviceFolders, type Ran, run, stopDevice } from './device';

export const SITE = {
  board: { settings: { kind: 'simulated' } },
  outputs: [
    { name: 'Gate', mode: 'impulse', pulseMs: 300 },
    { name: 'Light', mode: 'on-off' },
  ],
  wifi: { ssid: 'Chez nous', passphrase: 'tres secret', country: 'FR' },
};

/** A device with a boot partition, before its first start, and the programs that are started on it. */
export class SiteCard {
  readonly folders = makeDeviceFolders();
  /** Its boot partition. */
  readonly boot = mkdtempSync(join(tmpdir(), 'rg-boot-'));
  /** NetworkManager's connections. */
  readonly network = mkdtempSync(join(tmpdir(), 'rg-net-'));
  readonly #programs: Program[] = [];

  get #options(): string[] {
    return ['--data', this.folders.dataDir, '--run', this.folders.runDir, '--boot', this.boot];
  }

  take(): Promise<Ran> {
    return run('relaygate-setup', ['take', ...this.#options, '--network-dir', this.network]);
  }

  onDevice(name: string): string {
    return join(this.folders.dataDir, name);
  }

  /** What stands in a file of the boot partition. */
  onBoot(name: string): string {
    return readFileSync(join(this.boot, name), 'utf8');
  }

  writeSite(site: object): void {
    writeFileSync(join(this.boot, 'relaygate-site.json'), JSON.stringify(site));
  }

  /** `remove` ends it. */
  async started<T extends Program>(starting: Promise<T>): Promise<T> {
    const program = await starting;
    this.#programs.push(program);
    return program;
  }

  startWatch(): Promise<Program> {
    const file = 'device-agent/bin/relaygate-setup.js';
    return this.started(Program.start({ name: 'relaygate-setup', file, args: ['watch', ...this.#options] }));
  }

  async remove(): Promise<void> {
    await stopDevice(this.#programs.splice(0).reverse(), this.folders);
    for (const folder of [this.boot, this.network]) rmSync(folder, { recursive: true });
  }
}
