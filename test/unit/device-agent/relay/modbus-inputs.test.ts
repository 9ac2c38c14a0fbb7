/** Inputs of Modbus boards on a bus in memory: when they are asked for, and who waits for whom. */
import { beforeEach, describe, expect, test } from '@jest/globals';
import type { DriveResult, InputEdge } from '@relaygate/device-agent/relay/relay-driver';
import { ModbusUnits } from '@relaygate/device-agent/relay/serial-boards/modbus-units';
import { SerialBoard } from '@relaygate/device-agent/relay/serial-boards/serial-board';
import type { Level } from '@relaygate/shared/device';
import { MemoryModbus, withCrc } from '../../../support/device/serial/memory-modbus';
import { MemoryPort } from '../../../support/device/serial/memory-port';
import { VirtualClock } from '../../../support/time/virtual-clock';

const ANSWER_MS = 150;
const POLL_MS = 50;
const UNITS = [
  { address: 1, relays: 1, flashOn: false, inputs: 2 },
  { address: 2, relays: 1, flashOn: false },
  { address: 3, relays: 1, flashOn: false, inputs: 1 },
];

let clock: VirtualClock;
let port: MemoryPort;
let boards: MemoryModbus;
let board: SerialBoard;
let heard: (string | InputEdge)[];
let whenBack: () => void;

beforeEach(() => {
  clock = new VirtualClock();
  port = new MemoryPort(clock);
  boards = new MemoryModbus();
  port.answers = boards.answer;
  heard = [];
  whenBack = () => {};
});

async function open(watched: readonly number[], pollMs = POLL_MS): Promise<void> {
  board = new SerialBoard({
    clock,
    settings: { path: '/dev/port', baud: 9_600, parity: 'none' },
    protocol: new ModbusUnits({ clock, baud: 9_600, units: UNITS, answerMs: ANSWER_MS }),
    open: port.open,
    polls: { watched, everyMs: pollMs, clock },
  });
  const opening = board.open({
    lost: () => void heard.push('lost'),
    back: () => {
      heard.push('back');
      whenBack();
    },
    edges: (edges) => void heard.push(...edges),
    inputsUnread: (inputs) => void heard.push(`unread ${inputs.join()}`),
  });
  await clock.advance(1_000);
  await opening;
}

const polls = (address: number): number[] =>
  port.written.filter(({ frame }) => frame.startsWith(`0${address}02`)).map(({ atMs }) => atMs);
const edges = (): InputEdge[] => heard.filter((what) => typeof what !== 'string');
const drive = (line: number, level: Level, pulseMs?: number): Promise<DriveResult> =>
  board.drive({ line, level, notAfterMs: null, ...(pulseMs === undefined ? {} : { pulseMs }) });

async function soon<T>(what: Promise<T>, withinMs = 100): Promise<T> {
  await clock.advance(withinMs);
  return what;
}

test('are numbered over the boards that have some, and read when somebody asks', async () => {
  await open([]);
  boards.setInput(1, 1, true);
  boards.setInput(3, 0, true);
  const levels = await soon(Promise.all([0, 1, 2, 3].map((input) => board.readInput?.(input))));
  expect(levels).toMatchObject([{ level: 'low' }, { level: 'high' }, { level: 'high' }, { kind: 'failed' }]);
});

test.each([0, 1])('are told after whoever has just asked has the answer, watched or not', async (asked) => {
  await open([0]);
  await clock.advance(POLL_MS / 2);
  boards.setInput(1, 0, true);
  void board.readInput?.(asked).then(({ kind }) => void heard.push(kind));
  await clock.advance(POLL_MS);
  expect(heard).toEqual(['back', 'read', { input: 0, level: 'high', atMs: expect.any(Number) }]);
});

describe('that are watched', () => {
  const read = (input: number) => board.readInput?.(input) ?? Promise.reject();

  test('are read as they are after the call: a question that has begun is too old', async () => {
    await open([0, 1], 1_000);
    port.byteMs = 1;
    const first = read(0);
    await clock.advance(1);
    const before = polls(1).length;
    // The answer to the first question is on the wire.
    boards.setInput(1, 1, true);
    const later = Promise.all([read(1), read(0)]);
    expect(await soon(first)).toMatchObject({ level: 'low' });
    expect(await soon(later)).toMatchObject([{ level: 'high' }, { level: 'low' }]);
    expect(polls(1).length - before).toBe(1);
  });

  test('are read by whoever hears that the board is there', async () => {
    let levels: Promise<unknown> | null = null;
    await open([0, 1], 1_000);
    port.isThere = false;
    port.unplug();
    await clock.advance(100);
    whenBack = () => {
      levels = Promise.all([0, 1].map(read));
    };
    const before = polls(1).length;
    port.isThere = true;
    await clock.advance(900);
    expect(await levels).toMatchObject([{ level: 'low' }, { level: 'low' }]);
    expect(polls(1)).toHaveLength(before + 1);
  });

  test('fail for whoever waits when the bus goes away', async () => {
    await open([0], 1_000);
    port.byteMs = 10;
    const waiting = [read(0)];
    await clock.advance(1);
    waiting.push(read(0));
    port.unplug();
    expect(await soon(Promise.all(waiting))).toMatchObject([{ kind: 'failed' }, { kind: 'failed' }]);
  });
});

test('wait for orders, however many there are', async () => {
  await open([0, 2]);
  const first = port.frames.length;
  const orders = Promise.all([0, 1, 2].map((line) => drive(line, 'high')));
  await clock.advance(1_000);
  expect(await orders).toMatchObject(Array(3).fill({ kind: 'driven' }));
  const frames = port.frames.slice(first).map((frame) => frame.slice(2, 4));
  // Each order is a write and a reading of it; one question may have been on the wire.
  const isPoll = (operation: string): boolean => operation === '02';
  expect(frames.slice(isPoll(frames[0] ?? '') ? 1 : 0, 6).some(isPoll)).toBe(false);
  expect(frames.some(isPoll)).toBe(true);
});

test.each([5, 40, 100, 150])(
  'make no pulse longer, were their board to hang %i ms before its end (I4)',
  async (beforeMs) => {
    await open([0, 2]);
    const result = await soon(drive(1, 'high', 500));
    const endMs = result.kind === 'driven' ? result.atMs + 500 : Number.NaN;
    await clock.advance(endMs - beforeMs - clock.nowMs());
    boards.mute.add(1);
    boards.mute.add(3);
    await clock.advance(beforeMs);
    void drive(1, 'low');
    await clock.advance(1_000);
    const off = port.written.find(({ frame, atMs }) => frame.startsWith('02050000' + '0000') && atMs >= endMs);
    expect(off?.atMs).toBeLessThanOrEqual(endMs + 10);
  },
);

describe('of a board that falls silent', () => {
  test('are asked for once a second, and those of the others as before', async () => {
    await open([0, 2]);
    boards.mute.add(1);
    await clock.advance(2_000);
    const [silent, others] = [polls(1).length, polls(3).length];
    await clock.advance(10_000);
    expect(polls(1).length - silent).toBeLessThanOrEqual(10);
    expect(polls(3).length - others).toBeGreaterThan(100);
    expect(edges()).toEqual([]);
    expect(await soon(board.readInput?.(0) ?? Promise.reject())).toMatchObject({
      kind: 'failed',
      problem: { code: 'unit-silent', values: { address: 1 } },
    });
  });

  test('are said to be unread once three questions in a row have failed, and none was answered for 1 s', async () => {
    await open([0, 1, 2]);
    await clock.advance(POLL_MS);
    boards.mute.add(1);
    const lastMs = polls(1).at(-1) ?? Number.NaN;
    await clock.advance(lastMs + 1_000 - clock.nowMs());
    expect(heard).toEqual(['back']);
    await clock.advance(2 * POLL_MS);
    expect(heard).toEqual(['back', 'unread 0,1']);
    await clock.advance(10_000);
    expect(heard).toEqual(['back', 'unread 0,1']);
    boards.mute.delete(1);
    boards.setInput(1, 1, true);
    await clock.advance(2_000);
    expect(heard).toEqual(['back', 'unread 0,1', { input: 1, level: 'high', atMs: expect.any(Number) }]);
    boards.mute.add(1);
    await clock.advance(2_000);
    expect(heard.at(-1)).toBe('unread 0,1');
  });

  test('are not unread while fewer than three questions were possible', async () => {
    await open([0], 1_000);
    boards.mute.add(1);
    const lastMs = polls(1).at(-1) ?? Number.NaN;
    await clock.advance(lastMs + 2_900 - clock.nowMs());
    expect(heard).toEqual(['back']);
    await clock.advance(1_000);
    expect(heard).toEqual(['back', 'unread 0']);
  });

  test('are told when it answers again, with the time of the last answer before', async () => {
    await open([0]);
    const lastMs = polls(1).at(-1);
    boards.mute.add(1);
    boards.setInput(1, 0, true);
    await clock.advance(3_000);
    boards.mute.delete(1);
    await clock.advance(2_000);
    expect(edges()).toEqual([{ input: 0, level: 'high', atMs: lastMs }]);
  });

  test('are told when it answers for the first time: nobody could read them', async () => {
    boards.mute.add(1);
    await open([0]);
    await clock.advance(1_000);
    boards.mute.delete(1);
    await clock.advance(2_000);
    expect(edges()).toMatchObject([{ input: 0, level: 'low' }]);
  });
});

test('are not asked for, nor told, while the bus is away; afterwards the first reading counts', async () => {
  await open([0]);
  port.isThere = false;
  port.unplug();
  boards.setInput(1, 0, true);
  const asked = polls(1).length;
  await clock.advance(5_000);
  expect(polls(1)).toHaveLength(asked);
  port.isThere = true;
  await clock.advance(5_000);
  expect(polls(1).length).toBeGreaterThan(asked);
  expect(heard.filter((what, n) => what !== heard[n - 1])).toEqual(['back', 'lost', 'back']);
  boards.setInput(1, 0, false);
  await clock.advance(2 * POLL_MS);
  expect(edges()).toMatchObject([{ input: 0, level: 'low' }]);
});

test('are not asked for once the board is closed', async () => {
  await open([0]);
  boards.setInput(1, 0, true);
  const asked = polls(1).length;
  await soon(board.close());
  await clock.advance(1_000);
  expect(polls(1)).toHaveLength(asked);
  expect(edges()).toEqual([]);
  expect(clock.pendingTimers).toBe(0);
});

test.each([
  [2, { code: 'unit-lacks-input', values: { address: 3 } }],
  [4, { code: 'unit-refuses', values: { address: 3, exception: 4 } }],
])('that their board refuses by exception %i are told from its coils', async (exception, problem) => {
  port.answers = (frame) => (frame[1] === 2 ? withCrc([3, 0x82, exception]) : boards.answer(frame));
  await open([]);
  expect(await soon(board.readInput?.(2) ?? Promise.resolve(null))).toEqual({ kind: 'failed', problem });
});
