/** A device with a simulated board whose page is on, as built programs. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { InputSettings } from '@relaygate/shared/device';
import {
  type DeviceFolders,
  edgeLogOf,
  makeDeviceFolders,
  outputsWith,
  relayctl,
  startAgentWithGuard,
  startGuard,
  stopDevice,
  writeDeviceSettings,
} from '../device/device';
import { freePort } from '../processes/free-port';
import type { Program } from '../processes/program';

const INPUTS: InputSettings[] = [
  { kind: 'contact', numInput: 0, name: 'Gate closed' },
  { kind: 'button', numInput: 1, name: 'Exit', output: 1, action: 'pulse' },
];

export class DeviceWithPage {
  readonly folders: DeviceFolders & { remove(): void };
  readonly origin: string;
  pin = '';
  #guard: Program | undefined;
  #agent: Program | undefined;

  private constructor(port: number) {
    this.folders = makeDeviceFolders();
    this.origin = `https://127.0.0.1:${port}`;
    // 0 is on-off, 1 an impulse output.
    const outputs = outputsWith({ 0: { name: 'Lamp' }, 1: { name: 'Gate', mode: 'impulse' } }).slice(0, 2);
    writeDeviceSettings(this.folders.dataDir, { outputs, inputs: INPUTS, web: { port } });
    writeFileSync(this.inputs, JSON.stringify(['low', 'high']));
  }

  static async start(): Promise<DeviceWithPage> {
    const device = new DeviceWithPage(await freePort());
    await device.startGuard();
    await device.startAgent();
    await device.newPin();
    await device.switchOn();
    return device;
  }

  get edgeLog(): string {
    return edgeLogOf(this.folders.dataDir);
  }

  /** Where the simulated board reads the levels of its inputs. */
  get inputs(): string {
    return join(this.folders.dataDir, 'inputs.json');
  }

  async startGuard(): Promise<void> {
    this.#guard = await startGuard(this.folders);
  }

  async startAgent(): Promise<void> {
    this.#agent = await startAgentWithGuard(this.folders);
  }

  stopGuard(): Promise<void> {
    return stopDevice([this.#guard]);
  }

  stopAgent(): Promise<void> {
    return stopDevice([this.#agent]);
  }

  /** Forgets the wrong ones, too. */
  async newPin(): Promise<void> {
    this.pin = JSON.parse(await this.relayctl('identity', '--new-pin', '--yes', '--json')).pin;
  }

  async switchOn(): Promise<void> {
    await this.relayctl('web', 'on');
  }

  /** Ends all sessions. */
  async switchOff(): Promise<void> {
    await this.relayctl('web', 'off');
  }

  /** What it prints; rejects unless it ends well. */
  async relayctl(...args: string[]): Promise<string> {
    const { code, stdout, stderr } = await relayctl(this.folders.runDir, ...args);
    if (code !== 0) throw new Error(`relayctl ${args.join(' ')}: ${stderr}`);
    return stdout;
  }

  stop(): Promise<void> {
    return stopDevice([this.#agent, this.#guard], this.folders);
  }
}
