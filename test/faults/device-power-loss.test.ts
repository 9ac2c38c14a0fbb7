/** T4: the power goes while a device writes settings and state. What was not synced is lost (EXT4_IOC_SHUTDOWN). */
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { askAgent } from '@relaygate/device-agent/cli/ask-agent';
import { unixDial } from '@relaygate/device-agent/system/unix-dial';
import { monotonicNowMs, systemClock } from '@relaygate/shared/system';
import { outputsWith, startAgent, startGuard, stopDevice, writeDeviceSettings } from '../support/device/device';
import { Acknowledged } from '../support/faults/acknowledged';
import { Ext4Image, ext4ImageMissing } from '../support/faults/ext4-image';
import { elapsedMs, Fault, PLAY_LIMIT_MS, SHORT } from '../support/faults/fault';
import { describeWhere } from '../support/needs';
import type { Program } from '../support/processes';
import { pause } from '../support/running-demo';
import type { SeededChance } from '../support/seeded-chance';

const AT_ONCE = 2;
/** Its state is remembered over a power cut. */
const RESTORED = 0;
/** Its pulse duration is changed all the time. */
const CHANGED = 3;
const ACTOR = 'relayctl as test';
const START_MS = 20_000;

/** A Raspberry Pi with a card of its own. */
class Device {
  readonly dataDir: string;
  readonly runDir = mkdtempSync(join(tmpdir(), 'rg-r-'));
  readonly #disk: Ext4Image;
  readonly #bootIdFile = join(this.runDir, 'boot-id');
  #programs: Program[] = [];

  constructor(disk: Ext4Image) {
    this.#disk = disk;
    this.dataDir = join(disk.folder, 'd');
    mkdirSync(this.dataDir);
    writeDeviceSettings(this.dataDir, { outputs: outputsWith({ [RESTORED]: { powerOn: 'restore' } }) });
    disk.sync();
  }

  async boot(bootId: string): Promise<void> {
    writeFileSync(this.#bootIdFile, `${bootId}\n`);
    const options = { dataDir: this.dataDir, runDir: this.runDir, bootIdFile: this.#bootIdFile };
    this.#programs = [await startGuard(options)];
    const agent = await startAgent(options);
    this.#programs.unshift(agent);
    await agent.line(/guard reached/, START_MS);
  }

  /** What its programs complained about. */
  get complaints(): string {
    return this.#programs.map(({ complaint }) => complaint).join('');
  }

  ask(type: string, body: object): Promise<unknown> {
    return askAgent({ dial: unixDial, clock: systemClock }, join(this.runDir, 'agent.sock'), type, body);
  }

  async losePower(): Promise<void> {
    this.#disk.losePower();
    for (const program of this.#programs) program.kill('SIGKILL');
    await Promise.all(this.#programs.map(({ ended }) => ended));
    // The journal and the sockets are in memory (tmpfs).
    rmSync(this.runDir, { recursive: true });
    mkdirSync(this.runDir);
    this.#disk.powerUp();
  }

  async remove(): Promise<void> {
    await stopDevice(this.#programs);
    rmSync(this.runDir, { recursive: true, force: true });
    this.#disk.remove();
  }
}

async function play(device: Device, chance: SeededChance): Promise<number> {
  await device.boot('first');
  const pulseMs = new Acknowledged(500);
  const isOn = new Acknowledged(false);
  const changing = untilItFails(async (turn) => {
    const wanted = 1_000 + turn;
    const change = { numOutput: CHANGED, change: { pulseMs: wanted }, force: false, actor: ACTOR };
    await pulseMs.write(wanted, async () => void (await device.ask('output', change)));
  });
  const switching = untilItFails(async (turn) => {
    const state = turn % 2 === 0 ? 1 : 0;
    const order = { numOutput: RESTORED, state, actor: ACTOR };
    await isOn.write(state === 1, async () => void (await device.ask('set', order)));
  });
  await pause(chance.between(0, 250));
  await device.losePower();
  await Promise.all([changing, switching]);

  // I5, I8: the old one or the new one, never torn; and at least as new as what was acknowledged.
  const file = (name: string): string => readFileSync(join(device.dataDir, name), 'utf8');
  expect(pulseMs.possible).toContain(JSON.parse(file('settings.json')).outputs[CHANGED].pulseMs);
  const wasOn = JSON.parse(file('state.json')).active[RESTORED];
  expect(isOn.possible).toContain(wasOn);
  const startMs = monotonicNowMs();
  await device.boot('second');
  const bootedMs = elapsedMs(startMs);
  expect(device.complaints).toBe('');
  const { outputs } = (await device.ask('status', {})) as { outputs: { state: 0 | 1 }[] };
  expect(outputs).toHaveLength(4);
  expect(outputs.map(({ state }) => state)).toEqual(outputs.map((_, n) => Number(n === RESTORED && wasOn)));
  expect(readdirSync(device.dataDir).filter((name) => name.includes('corrupt'))).toEqual([]);
  return bootedMs;
}

/** Again and again, as fast as it is acknowledged, until the device is gone. */
async function untilItFails(write: (turn: number) => Promise<void>): Promise<void> {
  for (let turn = 0; ; turn += 1) {
    try {
      await write(turn);
    } catch {
      return;
    }
  }
}

describeWhere(ext4ImageMissing())('the power goes while a device writes', () => {
  test(
    'T4: settings and state are the old ones or the new ones, what was acknowledged is there, and it starts (I5, I8)',
    () =>
      new Fault('T4', 'power loss while files are written', 'running again').playAlone(
        SHORT,
        AT_ONCE,
        async (chance) => {
          const device = new Device(new Ext4Image());
          try {
            return await play(device, chance);
          } finally {
            await device.remove();
          }
        },
      ),
    PLAY_LIMIT_MS,
  );
});
