/** Modbus relay boards: the driver over the machine's serial ports, the boards by libmodbus, the wires by socat. */
import { afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { causeText } from '@relaygate/device-agent/locales/en/causes';
import { preciseClock } from '@relaygate/device-agent/platform/precise-clock';
import type { DriveResult, RelayDriver } from '@relaygate/device-agent/relay/relay-driver';
import type { Cause } from '@relaygate/device-agent/runtime/cause';
import { MODBUS_ANSWER_MAX_MS, MODBUS_ANSWER_MS } from '@relaygate/shared';
import type { Level } from '@relaygate/shared/device';
import { onlyPulse, pulsesOf } from '../../support/device/device';
import { inEnglish } from '../../support/device/fault-texts';
import { compileSlave, ModbusBus, missingForModbus } from '../../support/device/serial/modbus-bus';
import { newModbusBoard } from '../../support/device/serial/modbus-driver';
import { folderForAll } from '../../support/processes/fresh-folder';
import { describeWhere } from '../../support/processes/needs';
import { repeat } from '../../support/time/excuse';
import { expectEnd, expectPulse, expectWithin, timed } from '../../support/time/timed';
import { PULSE_EARLY_MS } from '../../support/time/tolerances';
import { eventually } from '../../support/time/waiting';

const quiet = { lost: () => {}, back: () => {} };
/** Wires and boards are processes of a busy machine. A silence that was waited for costs three times as much. */
const LATE_MS = 50;
const AT_ONCE_MS = 100;
describeWhere(missingForModbus())('modbus', () => {
  const folder = folderForAll('rg-c-');
  let program = '';
  beforeAll(() => {
    program = compileSlave(folder);
  });

  describe('the modbus board', () => {
    const UNITS = [
      { address: 1, relays: 8, flashOn: true },
      { address: 2, relays: 2, flashOn: false },
    ];
    let bus: ModbusBus;
    let board: RelayDriver;
    const heard: (string | readonly (Level | null)[])[] = [];
    const listener = {
      lost: (problem: Cause) => void heard.push(causeText(problem)),
      back: (levels: readonly (Level | null)[]) => void heard.push(levels),
    };
    async function start(): Promise<void> {
      heard.length = 0;
      bus = await ModbusBus.start(program, UNITS);
      board = newModbusBoard(bus.port, UNITS).board;
    }
    async function end(): Promise<void> {
      await board.close();
      await bus.end();
    }
    beforeEach(start);
    afterEach(end);
    const startAnew = (): Promise<void> => end().then(start);

    const drive = (line: number, level: Level, pulseMs?: number): Promise<DriveResult> =>
      board.drive({ line, level, notAfterMs: null, ...(pulseMs === undefined ? {} : { pulseMs }) });
    const failure = (pattern: RegExp) => ({ kind: 'failed', problem: expect.stringMatching(pattern) });
    test('switches several relays of a board off by one frame, and reads each back', async () => {
      await board.open(quiet);
      await Promise.all([1, 2, 3].map((line) => drive(line, 'high')));
      const offs = await Promise.all([1, 2, 3].map((line) => drive(line, 'low')));
      expect(offs).toMatchObject(Array(3).fill({ kind: 'driven', readBack: 'low' }));
      // As one order they began at one time.
      expect(new Set(offs.map((result) => (result.kind === 'driven' ? result.atMs : null))).size).toBe(1);
      expect([0, 1, 2, 3].map((relay) => bus.isOn(1, relay))).toEqual([false, false, false, false]);
    });

    test('lets the board time a pulse that fits its unit, and says so', () =>
      repeat(async () => {
        await board.open(quiet);
        expect(await drive(3, 'high', 500)).toMatchObject({ kind: 'driven', readBack: 'high', pulseEndedBy: 'board' });
        await eventually(() => pulsesOf(bus.edges(1), 3).length === 1);
        expectPulse(onlyPulse(bus.edges(1), 3), 500, { earlyMs: PULSE_EARLY_MS, lateMs: LATE_MS });
      }, startAnew));

    test('has the board end a pulse that does not fit soon after, were nobody to end it, and does not claim it', () =>
      repeat(async () => {
        await board.open(quiet);
        expect(await drive(3, 'high', 250)).toEqual({ kind: 'driven', atMs: expect.any(Number), readBack: 'high' });
        await eventually(() => pulsesOf(bus.edges(1), 3).length === 1);
        expectEnd(onlyPulse(bus.edges(1), 3), 300, LATE_MS);
      }, startAnew));

    test('only looks whether the board has ended its pulse, and ends it before its time if it is to', async () => {
      await board.open(quiet);
      const pulse = await drive(3, 'high', 500);
      const endMs = pulse.kind === 'driven' ? pulse.atMs + 500 : Number.NaN;
      const asked: number[] = [];
      bus.towardsBoards = (bytes) => {
        asked.push(bytes[1] ?? 0);
        return bytes;
      };
      await new Promise<void>((resume) => preciseClock.after(endMs - preciseClock.nowMs(), resume));
      expect(await drive(3, 'low')).toMatchObject({ kind: 'driven', readBack: 'low' });
      expect(asked).not.toContain(5);
      await drive(4, 'high', 5_000);
      expect(await drive(4, 'low')).toMatchObject({ kind: 'driven', readBack: 'low' });
      expect(asked).toContain(5);
    });

    test('leaves to the guard what a board cannot time or count', async () => {
      await board.open(quiet);
      for (const [line, pulseMs] of [
        [8, 500],
        [0, 3_300_000],
      ] as const)
        expect(await drive(line, 'high', pulseMs)).not.toHaveProperty('pulseEndedBy');
      expect(bus.isOn(2, 0)).toBe(true);
      expect(bus.isOn(1, 0)).toBe(true);
    });

    test.each<[string, (answer: Buffer) => Uint8Array[]]>([
      ['noise before it', (answer) => [Buffer.from([0, 0xff, 1, 5]), answer]],
      ['noise behind it', (answer) => [answer, Buffer.from([0xff])]],
      ['each byte alone', (answer) => [...answer].map((byte) => Buffer.from([byte]))],
    ])('understands an answer with %s', async (_what, spoil) => {
      await board.open(quiet);
      bus.towardsAdapter = (bytes, send) => spoil(Buffer.from(bytes)).forEach(send);
      expect(await drive(0, 'high')).toMatchObject({ kind: 'driven', readBack: 'high' });
      expect(await drive(0, 'low')).toMatchObject({ kind: 'driven', readBack: 'low' });
    });

    test.each<[string, RegExp, (answer: Buffer) => Uint8Array]>([
      ['is half', /address 1 was not understood: 4 bytes/, (answer) => answer.subarray(0, 4)],
      [
        'has a wrong CRC',
        /address 1 was not understood: its CRC is wrong/,
        (answer) => flip(answer, answer.length - 1),
      ],
      ['has a wrong byte', /address 1 was not understood: its CRC is wrong/, (answer) => flip(answer, 4)],
      ['does not come', /address 1 does not answer/, () => Buffer.alloc(0)],
      ['is noise', /address 1 was not understood/, (answer) => answer.map((byte) => byte ^ 0x5a)],
    ])('fails an order whose answer %s, and works on', async (_what, problem, spoil) => {
      await board.open(quiet);
      bus.towardsAdapter = (bytes, send) => send(spoil(Buffer.from(bytes)));
      expect(await inEnglish(drive(0, 'high'))).toEqual(failure(problem));
      bus.towardsAdapter = (bytes, send) => send(bytes);
      expect(await drive(0, 'low')).toMatchObject({ kind: 'driven', readBack: 'low' });
      expect(bus.isOn(1, 0)).toBe(false);
    });

    test('tells what a board refuses', async () => {
      // It has 2.
      board = newModbusBoard(bus.port, [{ address: 2, relays: 8, flashOn: false }]).board;
      await board.open(listener);
      await eventually(() => heard.length > 0);
      expect(heard[0]).toMatch(/address 2 refuses: it has no such coil/);
    });

    test('takes an answer that comes late for none, and never for one to a later order', async () => {
      await board.open(quiet);
      bus.towardsAdapter = (bytes, send) => setTimeout(() => send(bytes), 2 * MODBUS_ANSWER_MAX_MS);
      expect(await inEnglish(drive(0, 'high'))).toEqual(failure(/does not answer/));
      // The late "on" is under way while this one is asked, and its board is deaf.
      bus.towardsBoards = () => new Uint8Array();
      expect(await inEnglish(drive(0, 'low'))).toEqual(failure(/does not answer|not understood/));
      expect(bus.isOn(1, 0)).toBe(true);
    });

    test('does not take its own words, repeated by the adapter, for the answer of a board', async () => {
      await board.open(quiet);
      bus.towardsBoards = (bytes) => {
        bus.say(bytes);
        return new Uint8Array();
      };
      expect(await inEnglish(drive(0, 'high'))).toEqual(failure(/not understood/));
    });

    test('a board that hangs costs its own orders, soon at once, and no other board a pulse', async () => {
      board = newModbusBoard(bus.port, UNITS, MODBUS_ANSWER_MS).board;
      await board.open(quiet);
      bus.hang(1);
      // The guard ends this one: its order comes while the others try the board that hangs.
      const pulse = await drive(8, 'high', 600);
      const endMs = pulse.kind === 'driven' ? pulse.atMs + 600 : Number.NaN;
      const tries = Array.from({ length: 20 }, () => drive(0, 'low'));
      const others = [1, 2, 3, 4].map((line) => drive(line, 'high'));
      await new Promise<void>((resume) => preciseClock.after(endMs - preciseClock.nowMs(), resume));
      await drive(8, 'low');
      for (const result of [...(await Promise.all(tries)), ...(await Promise.all(others))])
        expect(result.kind).toBe('failed');
      expectEnd(onlyPulse(bus.edges(2), 0), 600, LATE_MS);
      // By now it is known, and no more than a try a second is lost on it.
      const { answer, ...times } = await timed(drive(0, 'high'));
      expect(await inEnglish(Promise.resolve(answer))).toEqual(failure(/address 1 does not answer/));
      expectWithin(times, AT_ONCE_MS);
      bus.resume(1);
      await eventually(async () => (await drive(0, 'low')).kind === 'driven', 10_000);
    });

    test('an adapter that is unplugged fails orders at once with the reason, and is found again', () =>
      repeat(async () => {
        await board.open(listener);
        await drive(0, 'high');
        await drive(9, 'high');
        expect(heard).toHaveLength(1);
        await bus.unplug();
        await eventually(() => heard.length >= 2);
        const { answer, ...times } = await timed(drive(0, 'low'));
        expect(await inEnglish(Promise.resolve(answer))).toEqual(failure(/port: /));
        expectWithin(times, AT_ONCE_MS);
        await bus.plug();
        await eventually(() => Array.isArray(heard.at(-1)), 10_000);
        // Found as they are, and moved by nobody.
        expect(heard.at(-1)).toEqual(['high', ...Array(7).fill('low'), 'low', 'high']);
        expect(bus.edges(1)).toHaveLength(1);
        expect(await drive(0, 'low')).toMatchObject({ kind: 'driven', readBack: 'low' });
      }, startAnew));

    test('unplugged in the middle of a frame fails that order', async () => {
      await board.open(listener);
      let unplugged: Promise<void> | null = null;
      bus.towardsAdapter = (bytes, send) => {
        send(bytes.subarray(0, 3));
        unplugged ??= bus.unplug();
      };
      expect(await drive(0, 'high')).toMatchObject({ kind: 'failed' });
      await unplugged;
      bus.towardsAdapter = (bytes, send) => send(bytes);
      await eventually(() => heard.length >= 2);
      await bus.plug();
      await eventually(() => Array.isArray(heard.at(-1)), 10_000);
    });

    test('opens without its adapter, says so, and takes orders once it is there', async () => {
      await bus.unplug();
      await board.open(listener);
      await eventually(() => heard.length > 0);
      expect(heard[0]).toMatch(/port: it is not there$/);
      expect(await inEnglish(drive(0, 'high'))).toEqual(failure(/port: it is not there$/));
      await bus.plug();
      await eventually(() => Array.isArray(heard.at(-1)), 10_000);
      expect(await drive(0, 'high')).toMatchObject({ kind: 'driven' });
    });

    test('belongs to one process at a time', async () => {
      await board.open(quiet);
      const second = newModbusBoard(bus.port, UNITS).board;
      await second.open(listener);
      await eventually(() => heard.length > 0);
      expect(heard[0]).toMatch(/port: another program has it open$/);
      await second.close();
    });

    test('gives a bus on which no board answers up, and tries again', async () => {
      bus.hang(1);
      bus.hang(2);
      await board.open(listener);
      await eventually(() => heard.length > 0);
      expect(heard[0]).toMatch(/address 1 does not answer; the board at address 2 does not answer/);
      bus.resume(2);
      await eventually(() => Array.isArray(heard.at(-1)), 10_000);
      expect(heard.at(-1)).toEqual([...Array(8).fill(null), 'low', 'low']);
      bus.resume(1);
    });
  });
});

function flip(bytes: Buffer, at: number): Uint8Array {
  return bytes.map((byte, n) => (n === at ? byte ^ 1 : byte));
}
