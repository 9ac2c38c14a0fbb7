/** Modbus boards behind a USB adapter of the emulated machine, with their outputs; seen at the boards and over HTTP. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { expect } from '@jest/globals';
import type { OutputState } from '@relaygate/shared';
import type { Edge } from '../../support/device/edge-log';
import { compileSlave, ModbusBus } from '../../support/device/serial/modbus-bus';
import { eventually } from '../../support/time/waiting';
import type { DeviceSetup, EmulatedDevice } from '../machine/emulated-device';
import type { UsbAdapter } from '../machine/usb-adapter';

const PATIENCE_MS = 60_000;
const AWAY = /relay board is away/;
/** Relays whose pulses their board times by itself, and one whose board cannot. */
const TIMING = { address: 1, relays: 3 };
const PLAIN = { address: 5, relays: 1 };
export const LIGHT = 0;
export const PUMP = 1;
export const GATE = 2;
export const DOOR = 3;
/** Long enough to unplug the adapter in it, on a slow machine too. */
export const PULSE_MS = 3_000;
/** Stands for a link of /dev/serial/by-id, which udev keeps elsewhere; this machine has no udev. */
const PORT = '/dev/relay-adapter';

const onOff = { mode: 'on-off', pulseMs: 500, activeLevel: 'high' } as const;
const impulse = { mode: 'impulse', pulseMs: PULSE_MS, activeLevel: 'high', powerOn: 'off' } as const;
const SETUP: DeviceSetup = {
  board: { kind: 'modbus', port: PORT, answerMs: 400, units: [{ ...TIMING, flashOn: true }, PLAIN] },
  outputs: [
    { name: 'light', ...onOff, powerOn: 'off' },
    { name: 'pump', ...onOff, powerOn: 'restore' },
    { name: 'gate', ...impulse },
    { name: 'door', ...impulse },
  ],
};

/** An output's relay closed (1) or opened (0). */
export type Move = readonly [numOutput: number, level: 0 | 1];
/** null: unknown. */
export type States = readonly (OutputState | null)[];

export class UnpluggedBoards {
  readonly bus: ModbusBus;
  readonly adapter: UsbAdapter;
  readonly #device: EmulatedDevice;
  readonly #folder: string;

  /** The adapter is not plugged in; guard and agent do not run. */
  static async make(device: EmulatedDevice): Promise<UnpluggedBoards> {
    const folder = mkdtempSync(join(tmpdir(), 'rg-c-'));
    const bus = await ModbusBus.start(compileSlave(folder), [TIMING, PLAIN]);
    const boards = new UnpluggedBoards(device, bus, await device.adapterOf(bus), folder);
    await device.setUp(SETUP);
    return boards;
  }

  private constructor(device: EmulatedDevice, bus: ModbusBus, adapter: UsbAdapter, folder: string) {
    this.#device = device;
    this.bus = bus;
    this.adapter = adapter;
    this.#folder = folder;
  }

  async end(): Promise<void> {
    await this.bus.end();
    rmSync(this.#folder, { recursive: true });
  }

  /** As udev does where it runs. */
  async pointPortTo(path: string): Promise<void> {
    await this.#device.shell.run(`ln -sfn ${path} ${PORT}`);
  }

  /** Of all outputs, in order. */
  edges(): Edge[] {
    const ofDoor = this.bus.edges(PLAIN.address).map((edge) => ({ ...edge, output: DOOR }));
    return [...this.bus.edges(TIMING.address), ...ofDoor].sort((one, other) => one.atMs - other.atMs);
  }

  /** What has moved while something was done, in order. */
  async moves(work: () => Promise<void>): Promise<Move[]> {
    const before = this.edges().length;
    await work();
    return this.edges()
      .slice(before)
      .map(({ output, level }) => [output, level]);
  }

  /** Resolves when the server knows these of the outputs. */
  async until(expected: States): Promise<void> {
    const states = async (): Promise<States> => {
      const { outputs } = await this.#device.companion.state();
      return outputs.slice(0, expected.length).map(({ state }) => state);
    };
    const areThere = async (): Promise<boolean> => isDeepStrictEqual(await states(), expected);
    // Whoever waits in vain wants to see them.
    await eventually(areThere, PATIENCE_MS).catch(async () => expect(await states()).toEqual(expected));
  }

  /** What the device says is wrong with it. */
  async faults(): Promise<readonly string[]> {
    return (await this.#device.companion.state()).faults;
  }

  /** Resolves when the server has heard of it. */
  async unplug(): Promise<void> {
    await this.adapter.unplug();
    await this.untilAway();
  }

  untilAway(): Promise<void> {
    return eventually(async () => (await this.faults()).some((fault) => AWAY.test(fault)), PATIENCE_MS);
  }

  /** All that a test may have left: unplugged, or on. */
  async settle(): Promise<void> {
    if (!this.adapter.isPlugged) await this.adapter.plug();
    const { companion } = this.#device;
    for (const numOutput of [LIGHT, PUMP])
      await eventually(async () => (await companion.set(numOutput, 0)).status === 200, PATIENCE_MS);
    await this.until([0, 0, 0, 0]);
    expect(await this.faults()).toEqual([]);
  }
}
