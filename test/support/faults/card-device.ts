import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { RELAYCTL } from '@relaygate/device-agent/locales/en/relayctl';
import { unixDial } from '@relaygate/device-agent/platform/unix-dial';
import { askAgent, requestChange } from '@relaygate/device-agent/relayctl/ask-agent';
import type { DeviceSettings } from '@relaygate/shared/device';
import { systemClock } from '@relaygate/shared/system';
import { startAgent, startGuard, stopDevice, writeDeviceSettings, writeEnrolmentCode } from '../device/device';
import type { Program } from '../processes/program';
import type { Environment } from './device-programs';
import { Ext4Image } from './ext4-image';
import type { Site } from './site';

/** What a card holds before its first boot. */
export interface FreshCard {
  readonly settings?: Partial<DeviceSettings>;
  readonly enrolmentCode?: string;
}

/** A Raspberry Pi with a card of its own, whose power a test cuts. */
export class CardDevice {
  readonly dataDir: string;
  readonly productLogin: string;
  readonly runDir = mkdtempSync(join(tmpdir(), 'rg-r-'));
  readonly disk: Ext4Image;
  readonly #bootIdFile = join(this.runDir, 'boot-id');
  #guard: Program | undefined;
  #agent: Program | undefined;

  /** One for a new product of that site, not started. */
  static async provisioned(site: Site, serverUrl = `ws://127.0.0.1:${site.port}`): Promise<CardDevice> {
    const [product] = await site.newProducts(1);
    if (!product) throw new Error('no product');
    const { productLogin, enrolmentCode } = product;
    const link = { serverUrl, serverName: 'relaygate', productLogin };
    return new CardDevice(new Ext4Image(), { settings: { link }, enrolmentCode });
  }

  constructor(disk: Ext4Image, { settings, enrolmentCode }: FreshCard = {}) {
    this.disk = disk;
    this.dataDir = join(disk.folder, 'd');
    mkdirSync(this.dataDir);
    this.productLogin = writeDeviceSettings(this.dataDir, settings).link.productLogin;
    if (enrolmentCode !== undefined) writeEnrolmentCode(this.dataDir, enrolmentCode);
    disk.sync();
  }

  /** Resolves when the agent has found its guard. */
  async boot(bootId: string, agentEnv: Environment = {}): Promise<void> {
    writeFileSync(this.#bootIdFile, `${bootId}\n`);
    const options = { dataDir: this.dataDir, runDir: this.runDir, bootIdFile: this.#bootIdFile };
    this.#guard = await startGuard(options);
    this.#agent = await startAgent({ ...options, env: agentEnv });
    await this.agent.line(/guard reached/);
  }

  get agent(): Program {
    if (!this.#agent) throw new Error('not started yet');
    return this.#agent;
  }

  /** In the order in which they are stopped. */
  get programs(): Program[] {
    return [this.#agent, this.#guard].filter((program) => program !== undefined);
  }

  /** What its programs complained about. */
  get complaints(): string {
    return this.programs.map(({ complaint }) => complaint).join('');
  }

  /** As its agent says. */
  async untilLinked(): Promise<void> {
    await this.agent.line(/link up/);
  }

  /** As relayctl asks the agent. */
  ask(type: string, body: object): Promise<unknown> {
    return askAgent({ dial: unixDial, clock: systemClock, t: RELAYCTL }, this.#agentSocket, type, body);
  }

  /** As relayctl has the agent change something. */
  change(type: string, body: object): Promise<unknown> {
    const ports = { dial: unixDial, clock: systemClock, t: RELAYCTL, onInterrupt: () => () => {} };
    return requestChange(ports, this.#agentSocket, type, body);
  }

  get #agentSocket(): string {
    return join(this.runDir, 'agent.sock');
  }

  /** A file of its card. */
  text(name: string): string {
    return readFileSync(join(this.dataDir, name), 'utf8');
  }

  /** A file of its card; null: it is not there. Throws for a torn one. */
  json(name: string): unknown {
    return existsSync(join(this.dataDir, name)) ? JSON.parse(this.text(name)) : null;
  }

  /** `isStopped`: its programs see nothing of a disk that is gone, so they can tell nobody what it never held. */
  async losePower({ isStopped = false } = {}): Promise<void> {
    if (isStopped) for (const program of this.programs) program.kill('SIGSTOP');
    this.disk.losePower();
    for (const program of this.programs) program.kill('SIGKILL');
    await Promise.all(this.programs.map(({ ended }) => ended));
    // The journal and the sockets are in memory (tmpfs).
    rmSync(this.runDir, { recursive: true });
    mkdirSync(this.runDir);
    this.disk.powerUp();
  }

  async remove(): Promise<void> {
    await stopDevice(this.programs);
    rmSync(this.runDir, { recursive: true, force: true });
    this.disk.remove();
  }
}
