/** A board on a port that goes away and comes back: what the guard does with its outputs. */
import { beforeEach, describe, expect, test } from '@jest/globals';
import type { OutputSettings } from '@relaygate/shared';
import { outputsWith } from '../../../support/device/device';
import { FakeBoard } from '../../../support/device/fake-board';
import { textsOf } from '../../../support/device/fault-texts';
import {
  command,
  IMPULSE,
  never,
  OFF,
  ON,
  ON_OFF,
  PULSE,
  STATE,
  startGuard,
  type World,
} from '../../../support/device/guard-in-memory';
import { MemoryFiles } from '../../../support/device/memory-files';
import { settled, VirtualClock } from '../../../support/virtual-clock';

const RESTORED: OutputSettings = { ...ON_OFF, powerOn: 'restore' };

const FAILED = { kind: 'failed', problem: 'no power' } as const;

let world: World;
const unplug = () => world.board.unplug();
const plug = () => world.board.plug();
const states = () => world.guard.view().outputs.map(({ state }) => state);

describe('a board that goes away', () => {
  beforeEach(async () => {
    world = await startGuard([ON_OFF, RESTORED, IMPULSE, RESTORED]);
    for (const numOutput of [0, 1]) await world.guard.execute(command(world, numOutput, ON));
  });

  test('leaves no state known, and one fault that says why', async () => {
    unplug();
    await world.clock.advance(1_000);
    expect(states()).toEqual([null, null, null, null]);
    expect(textsOf(world.guard.view().faults)).toEqual(['The relay board is away: port: it is not there.']);
  });

  test.each([ON, OFF, PULSE])('refuses %j at once with the reason', async (order) => {
    unplug();
    for (const numOutput of [0, 2])
      expect(await world.guard.execute(command(world, numOutput, order))).toMatchObject({
        outcome: 'refused',
        reason: 'board-away',
      });
  });

  test('comes back with what is to be restored on and all else off, and nothing on the way there', async () => {
    unplug();
    await world.clock.advance(5_000);
    const before = world.board.edges.length;
    plug();
    await world.clock.advance(1_000);
    expect(states()).toEqual([0, 1, 0, 0]);
    expect(world.board.edges.slice(before)).toMatchObject([{ line: 0, level: 'low' }]);
    expect(textsOf(world.guard.view().faults)).toEqual([]);
    expect(await world.guard.execute(command(world, 0, ON))).toMatchObject({ outcome: 'executed' });
  });

  test('brings on again what its board has dropped meanwhile', async () => {
    unplug();
    world.board.levels.fill('low');
    plug();
    await world.clock.advance(1_000);
    expect(states()).toEqual([0, 1, 0, 0]);
  });

  test.each([1, 2])('brings on what its board has failed to bring on %i times, once it does', async (failures) => {
    unplug();
    world.board.levels.fill('low');
    let left = failures;
    world.board.answer = ({ line, level }) => {
      if (line !== 1 || level !== 'high' || left === 0) return null;
      left -= 1;
      return FAILED;
    };
    plug();
    await world.clock.advance(5_000);
    expect(states()).toEqual([0, 1, 0, 0]);
  });

  test('brings on what its board has neither brought on nor off for a while', async () => {
    unplug();
    world.board.levels.fill('low');
    world.board.answer = ({ line }) => (line === 1 ? FAILED : null);
    plug();
    await world.clock.advance(60_000);
    expect(states()[1]).toBeNull();
    world.board.answer = () => null;
    await world.clock.advance(2_000);
    expect(states()[1]).toBe(1);
  });

  test('brings on what failed once in its interlock too, in a turn of its own', async () => {
    const { clock, files } = world;
    const board = new FakeBoard(clock, 2);
    let left = 1;
    board.answer = ({ level }) => {
      if (level === 'low' || left === 0) return null;
      left -= 1;
      return FAILED;
    };
    const locked = { ...RESTORED, interlock: 'gate' };
    world = await startGuard([{ ...ON_OFF, interlock: 'gate' }, locked], { clock, files, board } as World);
    await clock.advance(10_000);
    expect(states()).toEqual([0, 1]);
    expect(left).toBe(0);
    expect(JSON.parse(files.texts.get(STATE) ?? '')).toMatchObject({ active: { 1: true } });
  });

  test('is not brought on any more by a guard that stops before the next try', async () => {
    unplug();
    world.board.answer = ({ level }) => (level === 'high' ? FAILED : null);
    plug();
    await world.clock.advance(500);
    world.board.answer = () => null;
    await world.guard.stop();
    await world.clock.advance(10_000);
    expect(world.board.levels).toEqual(['low', 'low', 'low', 'low']);
  });

  test('does not try without end what its board never brings on, and keeps it for the next time', async () => {
    unplug();
    world.board.levels.fill('low');
    world.board.answer = ({ level }) => (level === 'high' ? FAILED : null);
    const before = world.board.orders.length;
    plug();
    await world.clock.advance(60_000);
    expect(states()).toEqual([0, 0, 0, 0]);
    expect(world.board.orders.slice(before).filter(({ level }) => level === 'high')).toHaveLength(3);
    const { clock, files } = world;
    world = await startGuard([ON_OFF, RESTORED, IMPULSE, RESTORED], {
      clock,
      files,
      board: new FakeBoard(clock, 4),
    } as World);
    expect(states()[1]).toBe(1);
  });

  test('leaves off what was commanded off before it was tried again', async () => {
    unplug();
    world.board.answer = ({ level }) => (level === 'high' ? FAILED : null);
    plug();
    await world.clock.advance(500);
    world.board.answer = () => null;
    expect(await world.guard.execute(command(world, 1, OFF))).toMatchObject({ outcome: 'already-set' });
    await world.clock.advance(10_000);
    expect(states()[1]).toBe(0);
  });

  test('pulses nothing when it is back, neither what was running nor what was refused', async () => {
    await world.guard.execute(command(world, 2, PULSE));
    unplug();
    await world.guard.execute(command(world, 2, PULSE));
    world.board.levels[2] = 'low';
    const before = world.board.edges.length;
    plug();
    await world.clock.advance(5_000);
    expect(world.board.edges.slice(before).filter(({ line }) => line === 2)).toEqual([]);
    expect(states()[2]).toBe(0);
  });

  test('restores what was commanded last, were it off while it was being switched', async () => {
    world.board.answer = () => FAILED;
    await world.guard.execute(command(world, 1, OFF));
    unplug();
    world.board.answer = () => null;
    plug();
    await world.clock.advance(1_000);
    expect(states()[1]).toBe(0);
  });

  test('is told nothing while it is away', async () => {
    unplug();
    const before = world.board.orders.length;
    await world.clock.advance(10_000);
    expect(world.board.orders).toHaveLength(before);
  });

  test('says why it is away now, when that has become another reason', async () => {
    unplug();
    world.board.listener?.lost('port: permission denied');
    expect(textsOf(world.guard.view().faults)).toEqual(['The relay board is away: port: permission denied.']);
    plug();
    await world.clock.advance(100);
    expect(states()).toEqual([0, 1, 0, 0]);
  });

  test('answers the command that it has at once', async () => {
    world.board.answer = () => never;
    const replies = [ON, ON].map((order) => world.guard.execute(command(world, 3, order)));
    await settled();
    unplug();
    world.board.answer = () => null;
    expect(await Promise.all(replies)).toMatchObject([
      { outcome: 'refused', reason: 'board-failed' },
      { outcome: 'refused', reason: 'board-away' },
    ]);
  });

  test('restores what was on when it goes again while that is brought back', async () => {
    unplug();
    world.board.levels.fill('low');
    world.board.answer = () => never;
    plug();
    await settled();
    unplug();
    world.board.answer = () => null;
    plug();
    await world.clock.advance(1_000);
    expect(states()).toEqual([0, 1, 0, 0]);
  });

  test('does not make a guard that is killed meanwhile forget what is to be restored', async () => {
    unplug();
    await settled();
    const { clock, files } = world;
    const board = new FakeBoard(clock, 4);
    world = await startGuard([ON_OFF, RESTORED, IMPULSE, RESTORED], { clock, files, board } as World);
    expect(states()).toEqual([0, 1, 0, 0]);
  });

  test('does not make a change of settings forget what is to be restored, unless it says so', async () => {
    await world.guard.execute(command(world, 3, ON));
    unplug();
    await world.guard.configure(
      [
        { numOutput: 1, settings: { ...RESTORED, name: 'Pump' } },
        { numOutput: 3, settings: { ...RESTORED, powerOn: 'off' } },
      ],
      false,
    );
    // For a guard that is started anew meanwhile.
    expect(JSON.parse(world.files.texts.get(STATE) ?? '')).toMatchObject({ active: { 1: true } });
    plug();
    await world.clock.advance(1_000);
    expect(states()).toEqual([0, 1, 0, 0]);
  });

  test('keeps a guard that stops waiting, and is told off when it comes back in time', async () => {
    unplug();
    const stopped = world.guard.stop();
    await world.clock.advance(1_000);
    plug();
    await world.clock.advance(1_000);
    expect(await stopped).toEqual([]);
    expect(world.board.levels).toEqual(['low', 'low', 'low', 'low']);
  });

  test('is missed again, and comes back again', async () => {
    for (let n = 0; n < 3; n += 1) {
      unplug();
      await world.clock.advance(200);
      plug();
      await world.clock.advance(200);
      expect(states()).toEqual([0, 1, 0, 0]);
    }
  });
});

describe('a board that is not there when the guard starts', () => {
  test('does not make the guard forget what is to be restored', async () => {
    const outputs = [...outputsWith({ 1: { powerOn: 'restore' }, 0: { powerOn: 'on' } })];
    const before = await startGuard(outputs);
    await before.guard.execute(command(before, 1, ON));
    const board = new FakeBoard(before.clock, outputs.length);
    board.unplug();
    world = await startGuard(outputs, { ...before, board }, 'boot-2');
    await world.clock.advance(10_000);
    expect(states()).toEqual([null, null, null, null]);
    plug();
    await world.clock.advance(1_000);
    expect(states()).toEqual([1, 1, 0, 0]);
    expect(board.edges.map(({ line, level }) => ({ line, level }))).toEqual([
      { line: 0, level: 'high' },
      { line: 1, level: 'high' },
    ]);
  });

  test('that comes while the guard still starts is driven as the policy wants', async () => {
    const clock = new VirtualClock();
    const board = new FakeBoard(clock, 4);
    board.unplug();
    const open = board.open.bind(board);
    board.open = async (listener) => {
      await open(listener);
      queueMicrotask(() => board.plug());
    };
    const outputs = outputsWith({ 0: { powerOn: 'on' } });
    world = await startGuard(outputs, { clock, board, files: new MemoryFiles() } as World);
    await clock.advance(1_000);
    expect(states()).toEqual([1, 0, 0, 0]);
    expect(textsOf(world.guard.view().faults)).toEqual([]);
  });
});

describe('a board that hangs', () => {
  test('is a fault also while its relay is tried again, and no news with each try', async () => {
    world = await startGuard();
    world.board.answer = () => new Promise((fail) => world.clock.after(400, () => fail(FAILED)));
    const refused = world.guard.execute(command(world, 0, ON));
    await world.clock.advance(1_000);
    await refused;
    let news = 0;
    world.guard.watch(() => {
      news += 1;
    });
    for (let n = 0; n < 30; n += 1) {
      await world.clock.advance(97);
      expect(textsOf(world.guard.view().faults)).toEqual([expect.stringMatching(/Output 0 .* cannot be switched off/)]);
    }
    expect(news).toBe(0);
  });
});

describe('what a board tells of its orders', () => {
  test('is shown: written only, and that the board ends the pulse', async () => {
    world = await startGuard();
    world.board.answer = (order) => ({
      ...world.board.move(order),
      kind: 'driven',
      atMs: world.clock.nowMs(),
      readBack: null,
      ...(order.pulseMs === undefined ? {} : { pulseEndedBy: 'board' as const }),
    });
    await world.guard.execute(command(world, 2, PULSE));
    expect(world.guard.view().outputs[2]).toMatchObject({ state: 1, confirmedBy: 'write', pulseEndedBy: 'board' });
    expect(world.guard.view().outputs[0]).not.toHaveProperty('confirmedBy');
    await world.clock.advance(600);
    expect(world.guard.view().outputs[2]).toMatchObject({ state: 0, pulseEndedBy: 'board' });
  });
});
