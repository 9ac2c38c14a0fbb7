/** Modbus boards on a bus in memory: who waits for whom, and what is written to a board that does not answer. */
import { beforeEach, expect, test } from '@jest/globals';
import { BoardLine } from '@relaygate/device-agent/guard/board-line';
import type { DriveResult } from '@relaygate/device-agent/relay/relay-driver';
import { ModbusUnits } from '@relaygate/device-agent/relay/serial/modbus-units';
import { SerialBoard } from '@relaygate/device-agent/relay/serial/serial-board';
import type { Level } from '@relaygate/shared';
import { MemoryModbus } from '../../../support/serial/memory-modbus';
import { MemoryPort } from '../../../support/serial/memory-port';
import { VirtualClock } from '../../../support/virtual-clock';

const ANSWER_MS = 200;
/** Of `line` 0 and 1: the boards at address 1 and 2. */
const OFF = ['010500000000cdca', '020500000000cdf9'] as const;

let clock: VirtualClock;
let port: MemoryPort;
let boards: MemoryModbus;
let board: SerialBoard;

beforeEach(async () => {
  clock = new VirtualClock();
  port = new MemoryPort(clock);
  boards = new MemoryModbus();
  port.answers = boards.answer;
  board = new SerialBoard({
    clock,
    settings: { path: '/dev/port', baud: 9_600, parity: 'none' },
    protocol: new ModbusUnits({
      clock,
      baud: 9_600,
      units: [1, 2].map((address) => ({ address, relays: 1, flashOn: false })),
      answerMs: ANSWER_MS,
    }),
    open: port.open,
  });
  const opening = board.open({ lost: () => {}, back: () => {} });
  await clock.advance(1_000);
  await opening;
});

const drive = (line: number, level: Level, pulseMs?: number): Promise<DriveResult> =>
  board.drive({ line, level, notAfterMs: null, ...(pulseMs === undefined ? {} : { pulseMs }) });
const offs = (line: 0 | 1): number[] => port.written.filter(({ frame }) => frame === OFF[line]).map(({ atMs }) => atMs);

test.each([
  [5, 0],
  [20, 0],
  [40, 0],
  [5, 6],
  [5, 150],
])(
  'a board that hangs from now on, told to be off %i ms before the end, makes no pulse longer whose guard is %i ms late (I4)',
  async (beforeMs, lateMs) => {
    const pulse = drive(1, 'high', 500);
    await clock.advance(50);
    const result = await pulse;
    const endMs = result.kind === 'driven' ? result.atMs + 500 : Number.NaN;
    boards.mute.add(1);
    await clock.advance(endMs - beforeMs - clock.nowMs());
    const other = drive(0, 'low');
    await clock.advance(beforeMs + lateMs);
    void drive(1, 'low');
    await clock.advance(1_000);
    expect(offs(1)[0]).toBeLessThanOrEqual(endMs + lateMs + 10);
    expect(await other).toMatchObject({ kind: 'failed' });
  },
);

test.each<[string, RegExp, () => void]>([
  ['is silent', /address 1 does not answer/, () => boards.mute.add(1)],
  [
    'answers by noise',
    /address 1 was not understood/,
    () => {
      port.answers = (frame) => boards.answer(frame).map((byte) => byte ^ 0x5a);
    },
  ],
])(
  'a board that %s is given time after three tries, and its "off" is written all the same',
  async (_what, problem, spoil) => {
    spoil();
    for (let tries = 0; tries < 3; tries += 1) {
      const order = drive(0, 'high');
      await clock.advance(2 * ANSWER_MS);
      expect(await order).toMatchObject({ kind: 'failed' });
    }
    expect(boards.isOn(1, 0)).toBe(true);
    const off = drive(0, 'low');
    await clock.advance(20);
    expect(await off).toEqual({ kind: 'failed', problem: expect.stringMatching(problem) });
    expect(offs(0)).toHaveLength(1);
    expect(boards.isOn(1, 0)).toBe(false);
    const frames = port.frames.length;
    expect(await drive(0, 'high')).toMatchObject({ kind: 'failed' });
    expect(port.frames).toHaveLength(frames);
  },
);

test('a pulse that is shorter than its proof is confirmed by its write', async () => {
  const order = drive(0, 'high', 50);
  await clock.advance(49);
  expect(await order).toMatchObject({ kind: 'driven', readBack: null });
});

test('a pulse that waited for others on the bus for longer than it lasts is not refused for that', async () => {
  const lines = [0, 1].map((line) => new BoardLine(line, { clock, driver: board, warn: () => {} }));
  const results: DriveResult[] = [];
  for (const line of lines)
    line.drive({ level: 'high', notAfterMs: null, pulseMs: 60 }, (result) => void results.push(result));
  await clock.advance(1_000);
  expect(results).toMatchObject([{ kind: 'driven' }, { kind: 'driven' }]);
});
