/** Modbus boards on a bus in memory: who waits for whom, and what is written to a board that does not answer. */
import { beforeEach, describe, expect, test } from '@jest/globals';
import { BoardLine } from '@relaygate/device-agent/guard/effects/board-line';
import type { DriveResult } from '@relaygate/device-agent/relay/relay-driver';
import { ModbusUnits } from '@relaygate/device-agent/relay/serial-boards/modbus-units';
import { SerialBoard } from '@relaygate/device-agent/relay/serial-boards/serial-board';
import type { Level } from '@relaygate/shared/device';
import { inEnglish } from '../../../support/device/fault-texts';
import { quietLog } from '../../../support/device/quiet-log';
import { MemoryModbus } from '../../../support/device/serial/memory-modbus';
import { MemoryPort } from '../../../support/device/serial/memory-port';
import { VirtualClock } from '../../../support/time/virtual-clock';

const ANSWER_MS = 200;
/** Of `line` 0 and 1: the boards at address 1 and 2. */
const OFF = ['010500000000cdca', '020500000000cdf9'] as const;

let clock: VirtualClock;
let port: MemoryPort;
let boards: MemoryModbus;
let board: SerialBoard;

async function open(units: { address: number; relays: number; flashOn: boolean }[], baud = 9_600): Promise<void> {
  board = new SerialBoard({
    clock,
    settings: { path: '/dev/port', baud, parity: 'none' },
    protocol: new ModbusUnits({ clock, baud, units, answerMs: ANSWER_MS }),
    open: port.open,
  });
  const opening = board.open({ lost: () => {}, back: () => {} });
  await clock.advance(1_000);
  await opening;
}

beforeEach(async () => {
  clock = new VirtualClock();
  port = new MemoryPort(clock);
  boards = new MemoryModbus();
  port.answers = boards.answer;
  await open([1, 2].map((address) => ({ address, relays: 1, flashOn: false })));
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
    expect(await inEnglish(off)).toEqual({ kind: 'failed', problem: expect.stringMatching(problem) });
    expect(offs(0)).toHaveLength(1);
    expect(boards.isOn(1, 0)).toBe(false);
    const frames = port.frames.length;
    expect(await drive(0, 'high')).toMatchObject({ kind: 'failed' });
    expect(port.frames).toHaveLength(frames);
  },
);

test('a port that goes again during its greeting is greeted by the next connection only', async () => {
  boards.mute.add(1);
  port.unplug();
  // It is open again, and the first board has been asked.
  await clock.advance(110);
  port.unplug();
  boards.mute.clear();
  port.written.length = 0;
  await clock.advance(1_000);
  expect(port.opened).toHaveLength(3);
  expect(port.frames.map((frame) => frame.slice(0, 4))).toEqual(['0101', '0201']);
});

describe.each([
  [1, 9_600],
  [2, 9_600],
  [1, 1_200],
])('beside %i boards without supply at %i baud', (silent, baud) => {
  const byteMs = 11_000 / baud;
  const healthy = 8 * silent;
  let isOver: boolean;

  /** Eight relays on each of them that the guard tries to switch off every 100 ms; the line behind those is healthy. */
  beforeEach(async () => {
    isOver = false;
    port.byteMs = byteMs;
    await open(
      Array.from({ length: silent + 1 }, (_, n) => ({ address: n + 1, relays: 8, flashOn: false })),
      baud,
    );
    for (let address = 1; address <= silent; address += 1) boards.mute.add(address);
    const retry = (line: number): void => {
      if (!isOver) void drive(line, 'low').then(() => clock.after(100, () => retry(line)));
    };
    for (let line = 0; line < healthy; line += 1) retry(line);
    await clock.advance(10_000);
    port.written.length = 0;
  });

  test('each frame keeps its distance to the one before, so that boards can tell them apart', async () => {
    await clock.advance(5_000);
    isOver = true;
    const distances = port.written.slice(1).map(({ atMs }, n) => {
      const before = port.written[n] ?? { frame: '', atMs: Number.NaN };
      return atMs - before.atMs - (before.frame.length / 2) * byteMs;
    });
    expect(distances.length).toBeGreaterThan(10);
    expect(Math.min(...distances)).toBeGreaterThanOrEqual(3.5 * byteMs - 0.001);
  });

  test('a healthy one is switched soon: it waits for one question or "off" to a silent one', async () => {
    // What a write, its proof and one "off" to a silent board take on the wire, and the gaps.
    const soonMs = ANSWER_MS + 60 * byteMs;
    for (let turn = 0; turn < 20; turn += 1) {
      for (const level of ['high', 'low'] as const) {
        const startMs = clock.nowMs();
        let tookMs = Number.POSITIVE_INFINITY;
        const result = drive(healthy, level).finally(() => (tookMs = clock.nowMs() - startMs));
        await clock.advance(1_000 + 7 * turn);
        expect(tookMs).toBeLessThan(soonMs);
        expect(await result).toMatchObject({ kind: 'driven', readBack: level });
      }
    }
    isOver = true;
  });
});

test('a pulse that is shorter than its proof is confirmed by its write', async () => {
  const order = drive(0, 'high', 50);
  await clock.advance(49);
  expect(await order).toMatchObject({ kind: 'driven', readBack: null });
});

describe('a pulse that is over before its board can confirm it, at 1,200 baud,', () => {
  const BYTE_MS = 11_000 / 1_200;
  /** A write and its answer on the wire, and 1 ms for the board. */
  const LEAST_MS = Math.ceil(16 * BYTE_MS + 1);

  beforeEach(async () => {
    port.byteMs = BYTE_MS;
    await open(
      [1, 2].map((address) => ({ address, relays: 1, flashOn: address === 2 })),
      1_200,
    );
  });
  async function switchOff(line: number): Promise<void> {
    const off = drive(line, 'low');
    await clock.advance(1_000);
    expect(await off).toMatchObject({ kind: 'driven' });
    port.written.length = 0;
  }

  test.each([0, 1])('moves no relay (board %i), and is refused with the least length', async (line) => {
    await switchOff(line);
    const problem = { code: 'pulse-too-short', values: { ms: LEAST_MS } };
    expect(await drive(line, 'high', LEAST_MS - 1)).toEqual({ kind: 'failed', problem });
    expect(port.frames).toEqual([]);
    const order = drive(line, 'high', LEAST_MS);
    await clock.advance(1_000);
    expect(await order).toMatchObject({ kind: 'driven' });
  });

  test('is tried while nobody knows how fast the board is', async () => {
    port.byteMs = 0;
    const order = drive(0, 'high', 50);
    await clock.advance(1_000);
    expect(await order).toMatchObject({ kind: 'driven' });
  });
});

test('a pulse that waited for others on the bus for longer than it lasts is not refused for that', async () => {
  const lines = [0, 1].map((line) => new BoardLine(line, { clock, driver: board, log: quietLog() }));
  const results: DriveResult[] = [];
  for (const line of lines)
    line.drive({ level: 'high', notAfterMs: null, pulseMs: 60 }, (result) => void results.push(result));
  await clock.advance(1_000);
  expect(results).toMatchObject([{ kind: 'driven' }, { kind: 'driven' }]);
});

describe('a board with several relays', () => {
  /** Lines 0 to 3 on the board at address 1, 4 and 5 on that at 2. */
  beforeEach(async () => {
    await open([4, 2].map((relays, n) => ({ address: n + 1, relays, flashOn: n === 1 })));
    for (const coil of [0, 1, 2, 3]) boards.coils.set(256 + coil, true);
    port.written.length = 0;
  });
  const heads = (): string[] => port.frames.map((frame) => frame.slice(0, 12)).filter((frame) => frame[3] !== '1');
  const FOUR_OFF = '010f00000004';
  const offOf = (coil: number): string => `0105000${coil}0000`;
  const result = { kind: 'driven', readBack: 'low' };
  const allOff = (): Promise<DriveResult[]> => Promise.all([0, 1, 2, 3].map((line) => drive(line, 'low')));

  test('is switched off by one frame, and each relay is read back', async () => {
    const offs = allOff();
    await clock.advance(100);
    expect(await offs).toMatchObject(Array(4).fill(result));
    expect(heads()).toEqual([FOUR_OFF]);
    expect(port.frames).toHaveLength(2);
  });

  test.each([
    ['refuses', [FOUR_OFF]],
    ['ignores', [FOUR_OFF, FOUR_OFF]],
  ] as const)('that %s that frame gets one for each relay, and no order fails', async (how, tries) => {
    boards.onlySingle.set(1, how);
    const offs = allOff();
    await clock.advance(1_000);
    expect(await offs).toMatchObject(Array(4).fill(result));
    expect(heads()).toEqual([...tries, offOf(0), offOf(1), offOf(2), offOf(3)]);
  });

  test('of which one answer is lost gets that frame again, and no frame for each relay from then on', async () => {
    port.answers = (frame) => {
      port.answers = boards.answer;
      boards.answer(frame);
      return new Uint8Array();
    };
    for (let turn = 0; turn < 2; turn += 1) {
      const offs = allOff();
      await clock.advance(500);
      expect(await offs).toMatchObject(Array(4).fill(result));
    }
    expect(heads()).toEqual([FOUR_OFF, FOUR_OFF, FOUR_OFF]);
  });

  test('keeps on what nobody wants off, and what is too late', async () => {
    const others = [drive(4, 'low'), drive(0, 'low'), drive(3, 'low')];
    const late = board.drive({ line: 1, level: 'low', notAfterMs: clock.nowMs() + 2 });
    await clock.advance(1_000);
    expect(await Promise.all(others)).toMatchObject(Array(3).fill(result));
    expect(await late).toEqual({ kind: 'too-late' });
    expect([1, 2].map((coil) => boards.isOn(1, coil))).toEqual([true, true]);
  });

  test('gives way to a newer order that comes while the frame is on the bus', async () => {
    const first = drive(0, 'low');
    const offs = [1, 2].map((line) => drive(line, 'low'));
    // Until the frame for both has been written.
    while (!heads().some((head) => head.startsWith('010f'))) await clock.advance(1);
    const on = drive(2, 'high');
    await clock.advance(200);
    expect(await Promise.all([first, offs[0], offs[1]])).toMatchObject([result, result, { kind: 'failed' }]);
    expect(await on).toMatchObject({ kind: 'driven', readBack: 'high' });
    expect(boards.isOn(1, 2)).toBe(true);
  });

  test('ends by itself the pulses that it times, beside others that are switched off', async () => {
    const pulse = drive(4, 'high', 500);
    await clock.advance(100);
    expect(await pulse).toMatchObject({ pulseEndedBy: 'board' });
    await clock.advance(400);
    boards.coils.set(512, false);
    const busy = drive(0, 'low');
    const [end, other] = [drive(4, 'low'), drive(5, 'low')];
    await clock.advance(200);
    expect(await Promise.all([busy, end, other])).toMatchObject(Array(3).fill(result));
    expect(heads().some((head) => head.startsWith('020f'))).toBe(false);
  });
});
