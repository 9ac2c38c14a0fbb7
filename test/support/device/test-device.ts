import { afterAll, afterEach, beforeAll, beforeEach } from '@jest/globals';
import type { DeviceSettings } from '@relaygate/shared/device';
import type { Program } from '../processes/program';
import {
  type DeviceFolders,
  edgeLogOf,
  makeDeviceFolders,
  type Ran,
  readEdges,
  relayctl,
  type StartOptions,
  startAgent,
  startAgentWithGuard,
  startGuard,
  stopDevice,
  writeDeviceSettings,
} from './device';
import type { Edge } from './edge-log';

/** The folders of the test that runs, and what it has last started in them. */
export class TestDevice implements DeviceFolders {
  #folders: ReturnType<typeof makeDeviceFolders> | undefined;
  #guard: Program | undefined;
  #agent: Program | undefined;

  get dataDir(): string {
    return known(this.#folders).dataDir;
  }

  get runDir(): string {
    return known(this.#folders).runDir;
  }

  get guard(): Program {
    return known(this.#guard);
  }

  get agent(): Program {
    return known(this.#agent);
  }

  makeFolders(): void {
    this.#folders = makeDeviceFolders();
  }

  /** Guard and agent with these settings, in fresh folders. */
  async start(settings: Partial<DeviceSettings> = {}): Promise<void> {
    this.makeFolders();
    writeDeviceSettings(this.dataDir, settings);
    await this.startPrograms();
  }

  /** `options`: the guard's. */
  async startPrograms(options: Partial<StartOptions> = {}): Promise<void> {
    await this.startGuard(options);
    await this.startAgentWithGuard();
  }

  async startGuard(options: Partial<StartOptions> = {}): Promise<void> {
    this.#guard = await startGuard(this.#with(options));
  }

  async startAgent(options: Partial<StartOptions> = {}): Promise<void> {
    this.#agent = await startAgent(this.#with(options));
  }

  async startAgentWithGuard(options: Partial<StartOptions> = {}): Promise<void> {
    this.#agent = await startAgentWithGuard(this.#with(options));
  }

  relayctl(...args: string[]): Promise<Ran> {
    return relayctl(this.runDir, ...args);
  }

  edges(): Edge[] {
    return readEdges(edgeLogOf(this.dataDir));
  }

  stopPrograms(): Promise<void> {
    return stopDevice([this.#agent, this.#guard]);
  }

  /** Stops the programs, then removes the folders. */
  stop(): Promise<void> {
    return stopDevice([this.#agent, this.#guard], this.#folders);
  }

  #with(options: Partial<StartOptions>): StartOptions {
    return { dataDir: this.dataDir, runDir: this.runDir, ...options };
  }
}

/** A device that is started before each test. */
export function deviceForEach(settings?: Partial<DeviceSettings>): TestDevice {
  const device = new TestDevice();
  beforeEach(() => device.start(settings));
  afterEach(() => device.stop());
  return device;
}

/** A device that runs while the tests of a file do. */
export function deviceForAll(settings?: Partial<DeviceSettings>): TestDevice {
  const device = new TestDevice();
  beforeAll(() => device.start(settings));
  afterAll(() => device.stop());
  return device;
}

/** A device with fresh folders for each test; the test starts guard and agent where it needs them. */
export function foldersForEach(): TestDevice {
  const device = new TestDevice();
  beforeEach(() => device.makeFolders());
  afterEach(() => device.stop());
  return device;
}

function known<T>(thing: T | undefined): T {
  if (thing === undefined) throw new Error('the device was not started yet');
  return thing;
}
