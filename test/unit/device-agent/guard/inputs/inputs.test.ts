/** Contacts, tamper contacts and buttons, in a guard over a board and files in memory. */
import { beforeEach, describe, expect, test } from '@jest/globals';
import { openGuard } from '@relaygate/device-agent/guard/open-guard';
import type { InputSettings, OutputSettings } from '@relaygate/shared/device';
import { FakeBoard } from '../../../../support/device/fake-board';
import { command, IMPULSE, ON, ON_OFF, portsOf, type World } from '../../../../support/device/guard-in-memory';
import { MemoryFiles } from '../../../../support/device/memory-files';
import { VirtualClock } from '../../../../support/time/virtual-clock';

const DEBOUNCE_MS = 30;
const CONTACT: InputSettings = { kind: 'contact', numInput: 0, name: 'Door' };
const TAMPER: InputSettings = { kind: 'tamper', numInput: 1, name: 'Lid' };
const EXIT: InputSettings = { kind: 'button', numInput: 2, name: 'Exit', output: 1, action: 'pulse' };
const LIGHT: InputSettings = { kind: 'button', numInput: 3, name: 'Light', output: 0, action: 'toggle' };
const DEADMAN: InputSettings = { kind: 'button', numInput: 4, name: 'Up', output: 2, action: 'hold' };
const INPUTS = [CONTACT, TAMPER, EXIT, LIGHT, DEADMAN];
const OUTPUTS: OutputSettings[] = [ON_OFF, { ...IMPULSE, pulseMs: 500 }, { ...ON_OFF, maxOnMs: 5_000 }];

/** The lid is closed. */
const atRest = (input: number) => (input === TAMPER.numInput ? 'low' : 'high');

let world: World;

async function start(board?: FakeBoard, outputs = OUTPUTS, files = new MemoryFiles()): Promise<void> {
  const clock = world?.clock ?? new VirtualClock();
  const parts = { clock, files, board: board ?? new FakeBoard(clock, outputs.length) };
  if (!board) parts.board.inputLevel = atRest;
  world = { ...parts, guard: await openGuard(outputs, { ...portsOf(parts), inputs: INPUTS }) };
  await world.guard.lock([]);
  await clock.advance(100);
}

const turn = (input: number, level: 'high' | 'low', agoMs = 0): void => world.board.turn(input, level, agoMs);
/** To ground, and up again. */
async function press(input: number, forMs = 100): Promise<void> {
  turn(input, 'low');
  await world.clock.advance(forMs);
  turn(input, 'high');
  await world.clock.advance(100);
}
const shown = (numInput: number) => world.guard.view().inputs?.[numInput]?.isActive;
const codes = () => world.guard.view().faults.map(({ code }) => code);
const onEdges = () => world.board.edges.filter(({ level }) => level === 'high').map(({ line }) => line);
const outcomes = () => world.guard.view().lastCommands.map(({ by, outcome, reason }) => ({ by, outcome, reason }));

beforeEach(async () => {
  world = undefined as unknown as World;
  await start();
});

describe('a contact', () => {
  test('is open, and closed once it has lasted, since its edge', async () => {
    expect(shown(0)).toBe(false);
    turn(0, 'low');
    const sinceMs = world.clock.nowMs();
    await world.clock.advance(DEBOUNCE_MS - 1);
    expect(shown(0)).toBe(false);
    await world.clock.advance(1);
    expect(world.guard.view().inputs?.[0]).toEqual({ settings: CONTACT, isActive: true, hasChanged: true, sinceMs });
  });

  test('is not known, and a fault, while it flaps, and known again once it is quiet', async () => {
    for (let n = 0; n < 2_000; n += 1) {
      turn(0, n % 2 === 0 ? 'low' : 'high');
      await world.clock.advance(1);
    }
    expect(shown(0)).toBeNull();
    expect(codes()).toEqual(['input-flapping']);
    // However long it lasts.
    expect(world.clock.pendingTimers).toBeLessThan(10);
    await world.clock.advance(1_100);
    expect(shown(0)).toBe(false);
    expect(codes()).toEqual([]);
  });

  test('is not known, and a fault, if it changes slowly and without end, and nobody is told each change', async () => {
    let told = 0;
    world.guard.watch(() => {
      told += 1;
    });
    for (let n = 0; n < 1_000; n += 1) {
      turn(0, n % 2 === 0 ? 'low' : 'high');
      await world.clock.advance(50);
    }
    expect(shown(0)).toBeNull();
    expect(codes()).toEqual(['input-flapping']);
    expect(told).toBeLessThan(30);
  });

  test('that its board cannot read any more is not known (I11)', async () => {
    world.board.inputLevel = () => null;
    world.board.listener?.inputsUnread?.([0]);
    expect(shown(0)).toBeNull();
    let told = 0;
    world.guard.watch(() => {
      told += 1;
    });
    await world.clock.advance(60_000);
    expect(codes()).toEqual(['input-unread']);
    expect(told).toBeLessThan(2);
  });

  test('is not read while its board is away from the start', async () => {
    const board = new FakeBoard(world.clock, 3);
    board.unplug();
    await start(board);
    await world.clock.advance(10_000);
    expect(codes()).toEqual(['board-away']);
  });

  test('is known although each timer is late', async () => {
    turn(0, 'low');
    for (let n = 0; n < 3; n += 1) {
      world.clock.holdUp(60);
      await world.clock.advance(1);
    }
    expect(shown(0)).toBe(true);
  });

  test('is not known without its board, nor before it is read again (I11)', async () => {
    world.board.unplug();
    await world.clock.advance(100);
    expect(shown(0)).toBeNull();
    world.board.inputLevel = () => 'low';
    world.board.plug();
    await world.clock.advance(10);
    expect(shown(0)).toBeNull();
    await world.clock.advance(100);
    expect(shown(0)).toBe(true);
  });

  test('that cannot be read is a fault, and read again', async () => {
    const before = world.board.inputLevel;
    turn(0, 'low');
    world.board.inputLevel = (input) => (input === 0 ? null : before(input));
    await world.clock.advance(100);
    expect(shown(0)).toBeNull();
    expect(codes()).toEqual(['input-unread']);
    world.board.inputLevel = before;
    await world.clock.advance(1_100);
    expect(shown(0)).toBe(false);
    expect(codes()).toEqual([]);
  });
});

test('a tamper contact is a fault while it is open', async () => {
  expect(codes()).toEqual([]);
  world.board.turn(1, 'low');
  await world.clock.advance(100);
  expect(codes()).toEqual([]);
  world.board.turn(1, 'high');
  await world.clock.advance(100);
  expect(codes()).toEqual(['tamper-open']);
});

describe('a button', () => {
  test('gives its pulse once, however long it is held', async () => {
    turn(2, 'low');
    await world.clock.advance(3_000);
    expect(onEdges()).toEqual([1]);
    expect(outcomes()).toEqual([{ by: 'button Exit', outcome: 'executed', reason: undefined }]);
  });

  test('whose finger bounces has pressed once', async () => {
    await press(2);
    await press(2);
    expect(outcomes()).toHaveLength(1);
  });

  test.each([
    ['too late, too', 900],
    ['in time', 600],
  ])(
    'whose press is handled too late has expired once where its finger bounces, which is handled %s',
    async (_when, agoMs) => {
      const firstMs = world.clock.nowMs() - agoMs;
      const edges = (['low', 'high', 'low', 'high'] as const).map((level, n) => ({
        input: 2,
        level,
        atMs: firstMs + 100 * n,
      }));
      world.board.listener?.edges?.(edges);
      await world.clock.advance(100);
      expect(onEdges()).toEqual([]);
      expect(outcomes()).toMatchObject([{ outcome: 'expired' }]);
    },
  );

  test('that is stuck is a fault until it is released', async () => {
    turn(2, 'low');
    await world.clock.advance(10_200);
    expect(codes()).toEqual(['button-stuck']);
    turn(2, 'high');
    await world.clock.advance(100);
    expect(codes()).toEqual([]);
    expect(onEdges()).toEqual([1]);
  });

  test('that flaps gives no pulse when it is quiet again', async () => {
    for (let n = 0; n < 3_001; n += 1) {
      turn(2, n % 2 === 0 ? 'low' : 'high');
      await world.clock.advance(1);
    }
    await world.clock.advance(1_000);
    expect(codes()).toEqual([]);
    expect(onEdges()).toEqual([]);
  });

  test('that is released leaves on what its press did not switch on', async () => {
    await world.guard.execute(command(world, 2, ON));
    await press(4);
    expect(world.board.levels[2]).toBe('high');
  });

  test('that is released after its press was refused moves nothing', async () => {
    await world.guard.lock([{ numOutput: 2, untilMs: world.clock.nowMs() + 60_000 }]);
    await world.guard.execute(command(world, 2, ON));
    await press(4);
    expect(world.board.levels[2]).toBe('high');
  });

  test('that nobody can read any more keeps nothing on', async () => {
    turn(4, 'low');
    await world.clock.advance(100);
    expect(world.board.levels[2]).toBe('high');
    world.board.listener?.inputsUnread?.([4]);
    await world.clock.advance(100);
    expect(world.board.levels[2]).toBe('low');
  });

  test('that somebody hammers on moves its output 20 times, and then every 2 s', async () => {
    for (let n = 0; n < 100; n += 1) await press(3, 500);
    const moved = world.board.edges.length;
    expect(moved).toBeGreaterThan(40);
    expect(moved).toBeLessThan(20 + 60 / 2 + 5);
  });

  test('moves nothing while its output is set up for something else, as for a click', async () => {
    await world.guard.configure([{ numOutput: 0, settings: { ...IMPULSE, pulseMs: 300 } }], false);
    await press(3);
    expect(onEdges()).toEqual([]);
  });

  test('switches off no output of its interlock that is locked', async () => {
    const gate = { ...ON_OFF, interlock: 'gate', interlockDelayMs: 0 };
    await start(undefined, [gate, IMPULSE, { ...gate, maxOnMs: 60_000 }]);
    await world.guard.lock([{ numOutput: 2, untilMs: world.clock.nowMs() + 60_000 }]);
    await world.guard.execute(command(world, 2, ON));
    await press(3);
    expect(world.board.levels).toEqual(['low', 'low', 'high']);
    expect(outcomes().at(-1)).toMatchObject({ reason: 'locked' });
  });

  describe('and a maintenance lock', () => {
    test('may be in force until the agent has said what is, but not for ever', async () => {
      const parts = { ...world, board: new FakeBoard(world.clock, 3), files: new MemoryFiles() };
      parts.board.inputLevel = atRest;
      world = { ...parts, guard: await openGuard(OUTPUTS, { ...portsOf(parts), inputs: INPUTS }) };
      await world.clock.advance(100);
      await press(2);
      expect(outcomes()).toMatchObject([{ reason: 'locked' }]);
      await world.clock.advance(60_000);
      await press(2);
      expect(onEdges()).toEqual([1]);
    });
  });

  test('waits for its interlock, and is not late for that', async () => {
    const gate = { ...ON_OFF, interlock: 'gate', interlockDelayMs: 2_000 };
    await start(undefined, [gate, IMPULSE, { ...gate, maxOnMs: 60_000 }]);
    await press(3);
    await world.clock.advance(2_500);
    expect(world.board.levels[0]).toBe('high');
    turn(4, 'low');
    await world.clock.advance(2_500);
    expect(world.board.levels).toEqual(['low', 'low', 'high']);
  });
});
