/** Guard, agent and relayctl as users run them, with relay boards on serial ports; judged at the board's side. */
import { afterEach, beforeAll, beforeEach, expect, test } from '@jest/globals';
import type { BoardSettings, OutputSettings } from '@relaygate/shared/device';
import { monotonicNowMs } from '@relaygate/shared/system';
import { DEMO_OUTPUTS, onlyPulse, outputsWith, pulsesOf, writeDeviceSettings } from '../../support/device/device';
import { LcusDevice } from '../../support/device/serial/lcus-device';
import { compileSlave, ModbusBus, missingForModbus } from '../../support/device/serial/modbus-bus';
import { foldersForEach } from '../../support/device/test-device';
import { folderForAll } from '../../support/processes/fresh-folder';
import { missingProgram } from '../../support/processes/missing-program';
import { describeWhere } from '../../support/processes/needs';
import { repeat } from '../../support/time/excuse';
import { expectEnd, expectPulse, timed } from '../../support/time/timed';
import { PULSE_EARLY_MS } from '../../support/time/tolerances';
import { eventually } from '../../support/time/waiting';

/** The guard counts from before a pulse's first byte leaves, and here the wires are processes of a busy machine. */
const WIRE_MS = 250;
/** What starting relayctl takes on a busy machine, and no timeout of a port. */
const AWAY_WITHIN_MS = 5_000;
/** And so is the board, which times pulses by itself. */
const BOARD_LATE_MS = 50;

const device = foldersForEach();

async function start(board: BoardSettings, outputs: OutputSettings[] = [...DEMO_OUTPUTS]): Promise<void> {
  writeDeviceSettings(device.dataDir, { board, outputs });
  await device.startPrograms();
}
const ctl = (...args: string[]) => device.relayctl(...args);
const status = async (): Promise<string> => (await ctl('status')).stdout;

describeWhere(missingForModbus())('a device with Modbus boards', () => {
  const folder = folderForAll('rg-c-');
  let program = '';
  let bus: ModbusBus;
  beforeAll(() => {
    program = compileSlave(folder);
  });
  async function plug(): Promise<void> {
    bus = await ModbusBus.start(program, [
      { address: 1, relays: 3 },
      { address: 5, relays: 1 },
    ]);
  }
  beforeEach(plug);
  afterEach(() => bus.end());
  async function startAnew(): Promise<void> {
    await device.stop();
    await bus.end();
    device.makeFolders();
    await plug();
  }

  const modbus = (): BoardSettings => ({
    kind: 'modbus',
    port: bus.port,
    answerMs: 400,
    units: [
      { address: 1, relays: 3, flashOn: true },
      { address: 5, relays: 1 },
    ],
  });
  /** `endedBy` the board, it is never short. */
  function expectPulseOf(address: number, relay: number, pulseMs: number, endedBy: 'board' | 'guard'): void {
    const slack =
      endedBy === 'board' ? { earlyMs: PULSE_EARLY_MS, lateMs: BOARD_LATE_MS } : { earlyMs: WIRE_MS, lateMs: WIRE_MS };
    expectPulse(onlyPulse(bus.edges(address), relay), pulseMs, slack);
  }

  test('switches them, reads them back, and says who ends a pulse', () =>
    repeat(async () => {
      await start(modbus());
      expect(await ctl('set', '1', 'on')).toMatchObject({ code: 0 });
      expect(bus.isOn(1, 1)).toBe(true);
      await ctl('pulse', '2');
      await ctl('pulse', '3');
      await eventually(() => pulsesOf(bus.edges(1), 2).length + pulsesOf(bus.edges(5), 0).length === 2);
      expectPulseOf(1, 2, 500, 'board');
      expectPulseOf(5, 0, 500, 'guard');
      const shown = await status();
      expect(shown).toMatch(/^2 +off +impulse +500 ms \(by the board\)/m);
      expect(shown).toMatch(/^3 +off +impulse +500 ms {2,}[^ (]/m);
      expect(shown).not.toMatch(/relay board|cannot be switched/);
    }, startAnew));

  test('ends a pulse that does not fit the unit of the board, before the board does', () =>
    repeat(async () => {
      await start(modbus(), outputsWith({ 2: { pulseMs: 350 } }));
      const told: { frame: string; atMs: number }[] = [];
      bus.towardsBoards = (bytes) => {
        told.push({ frame: Buffer.from(bytes.subarray(0, 6)).toString('hex'), atMs: monotonicNowMs() });
        return bytes;
      };
      await ctl('pulse', '2');
      await eventually(() => pulsesOf(bus.edges(1), 2).length === 1);
      // Coil 2 on for 4 units, which the board counts, and off.
      const on = told.find(({ frame }) => frame === '010502020004');
      const off = told.find(({ frame }) => frame === '010500020000');
      expectEnd({ onMs: on?.atMs ?? Number.NaN, offMs: off?.atMs ?? Number.NaN }, 350, BOARD_LATE_MS);
      expectPulseOf(1, 2, 350, 'guard');
    }, startAnew));

  test('ends a pulse before its time that the board counts by itself, and reads that back', async () => {
    await start(modbus(), outputsWith({ 2: { pulseMs: 600_000 } }));
    await ctl('pulse', '2');
    expect(bus.isOn(1, 2)).toBe(true);
    expect(await ctl('stop', '2')).toMatchObject({ code: 0, stdout: expect.stringContaining('pulse ended, now off') });
    expect(bus.isOn(1, 2)).toBe(false);
    expect(pulsesOf(bus.edges(1), 2)).toHaveLength(1);
  });

  test('a guard that is killed makes no pulse longer that the board ends (I4)', () =>
    repeat(async () => {
      await start(modbus(), outputsWith({ 2: { pulseMs: 1_500 } }));
      await ctl('pulse', '2');
      device.guard.kill('SIGKILL');
      await eventually(() => pulsesOf(bus.edges(1), 2).length === 1);
      expectPulseOf(1, 2, 1_500, 'board');
    }, startAnew));

  test('goes on without a restart when its adapter was unplugged, and pulses nothing', async () => {
    await start(modbus(), outputsWith({ 1: { powerOn: 'restore' } }));
    for (const numOutput of ['0', '1']) await ctl('set', numOutput, 'on');
    await bus.unplug();
    await eventually(async () =>
      /The relay board is away: .*port: it (was unplugged|is not there)/.test(await status()),
    );
    expect(await status()).toMatch(/^0 +unknown/m);
    const { answer, tookMs } = await timed(ctl('pulse', '2'));
    expect(answer).toMatchObject({ code: 5, stderr: expect.stringContaining('board is away') });
    expect(tookMs).toBeLessThan(AWAY_WITHIN_MS);
    const before = bus.edges(1).length;
    await bus.plug();
    await eventually(async () => /^0 +off/m.test(await status()) && /^1 +on/m.test(await status()));
    expect(bus.edges(1).slice(before)).toMatchObject([{ output: 0, level: 0 }]);
    expect(await ctl('pulse', '2')).toMatchObject({ code: 0 });
  });

  test('starts without its adapter, and takes commands once it is there', async () => {
    await bus.unplug();
    await start(modbus());
    expect(await status()).toMatch(/The relay board is away: .*port: it is not there/);
    await bus.plug();
    await eventually(async () => /^0 +off/m.test(await status()));
    expect(await ctl('set', '0', 'on')).toMatchObject({ code: 0 });
    expect(bus.isOn(1, 0)).toBe(true);
  });

  test('a board that has lost its own supply is not "set already": its relay is switched, and a hung one is refused', async () => {
    await start(modbus());
    expect(await ctl('set', '0', 'on')).toMatchObject({ code: 0 });
    expect((await ctl('set', '0', 'on', '--json')).stdout).toContain('"already-set"');
    await bus.loseSupply(1);
    expect((await ctl('set', '0', 'on', '--json')).stdout).toContain('"executed"');
    expect(bus.isOn(1, 0)).toBe(true);
    expect((await ctl('set', '0', 'on', '--json')).stdout).toContain('"already-set"');
    bus.hang(1);
    expect(await ctl('set', '0', 'on')).toMatchObject({ code: 5 });
    expect((await status()).replaceAll(/\s+/g, ' ')).toContain('the board at address 1 does not answer');
    bus.resume(1);
    await eventually(async () => (await ctl('set', '0', 'on')).code === 0);
    expect(bus.edges(1).filter(({ output }) => output === 0)).toMatchObject([{ level: 1 }, { level: 0 }, { level: 1 }]);
  });

  test('a board that hangs fails its own commands, and no other', async () => {
    await start(modbus());
    bus.hang(1);
    expect(await ctl('set', '0', 'on')).toMatchObject({ code: 5 });
    expect(await ctl('pulse', '3')).toMatchObject({ code: 0 });
    await eventually(() => pulsesOf(bus.edges(5), 0).length === 1);
    expectPulseOf(5, 0, 500, 'guard');
    const shown = (await status()).replaceAll(/\s+/g, ' ');
    expect(shown).toMatch(/Output 0 .* cannot be switched off \(the board at address 1 does not answer\)/);
    bus.resume(1);
    await eventually(async () => /^0 +off/m.test(await status()));
  });
});

describeWhere(missingProgram('socat', 'socat'))('a device with an LCUS board', () => {
  let board: LcusDevice;
  afterEach(() => board.end());

  test('that cannot be read says that its states are as written', async () => {
    board = new LcusDevice('silent', 4);
    await board.plug();
    await start({ kind: 'lcus', port: board.port, relays: 4 });
    expect(await ctl('set', '0', 'on')).toMatchObject({ code: 0 });
    await eventually(() => board.levels[0] === 1);
    expect(await status()).toMatch(/^0 +on \(as written\)/m);
  });

  test('that cannot be read switches no output of an interlock on, and says why', async () => {
    board = new LcusDevice('silent', 4);
    await board.plug();
    const interlock = 'motor';
    await start({ kind: 'lcus', port: board.port, relays: 4 }, outputsWith({ 0: { interlock }, 1: { interlock } }));
    const refused = await ctl('set', '0', 'on');
    expect(refused).toMatchObject({ code: 5, stderr: expect.stringContaining('The relay board does not answer') });
    expect((await status()).replaceAll(/\s+/g, ' ')).toMatch(/Output 1 .* cannot be read back/);
    expect(board.edges).toEqual([]);
  });

  test('that can be read drives both directions of a motor, one at a time', async () => {
    board = new LcusDevice('bytes', 4);
    await board.plug();
    const interlock = 'motor';
    await start({ kind: 'lcus', port: board.port, relays: 4 }, outputsWith({ 0: { interlock }, 1: { interlock } }));
    for (const numOutput of ['0', '1']) expect(await ctl('set', numOutput, 'on')).toMatchObject({ code: 0 });
    expect(board.edges.map(({ output, level }) => [output, level])).toEqual([
      [0, 1],
      [0, 0],
      [1, 1],
    ]);
  });

  test('that can be read refuses what it has not done', async () => {
    board = new LcusDevice('lines', 4);
    await board.plug();
    await start({ kind: 'lcus', port: board.port, relays: 4 });
    expect(await ctl('set', '0', 'on')).toMatchObject({ code: 0 });
    expect(await status()).toMatch(/^0 +on +on-off/m);
    board.hears = (bytes) => (bytes.length === 4 && bytes[2] === 1 ? new Uint8Array() : bytes);
    expect(await ctl('set', '1', 'on')).toMatchObject({ code: 5 });
    expect(board.levels[1]).toBe(0);
    await ctl('pulse', '2');
    await eventually(async () => /^1 +off/m.test(await status()));
  });
});
