/** A board on a port that goes away and comes back: what the guard does with its outputs. */
import { beforeEach, describe, expect, test } from '@jest/globals';
import { outputsWith } from '../../../support/device/device';
import { FakeBoard } from '../../../support/device/fake-board';
import { textsOf } from '../../../support/device/fault-texts';
import {
  command,
  IMPULSE,
  ON,
  ON_OFF,
  PULSE,
  RESTORED,
  STATE,
  startGuard,
  type World,
} from '../../../support/device/guard-in-memory';
import { MemoryFiles } from '../../../support/device/memory-files';
import { settled, VirtualClock } from '../../../support/time/virtual-clock';

let world: World;
const unplug = () => world.board.unplug();
const plug = () => world.board.plug();
const states = () => world.guard.view().outputs.map(({ state }) => state);

describe('a board that goes away', () => {
  beforeEach(async () => {
    world = await startGuard([ON_OFF, RESTORED, IMPULSE, RESTORED]);
    for (const numOutput of [0, 1]) await world.guard.execute(command(world, numOutput, ON));
  });

  test('says why it is away now, when that has become another reason', async () => {
    unplug();
    world.board.listener?.lost('port: permission denied');
    expect(textsOf(world.guard.view().faults)).toEqual(['The relay board is away: port: permission denied.']);
    plug();
    await world.clock.advance(100);
    expect(states()).toEqual([0, 1, 0, 0]);
  });

  test('leaves unproven what its input has not shown, also when the look at the input finds the board gone (I3)', async () => {
    const SHOWN = { ...ON_OFF, feedbackInput: 5, feedbackMs: 300 };
    world = await startGuard([SHOWN]);
    const answer = world.guard.execute(command(world, 0, ON));
    world.board.inputLevel = () => {
      if (world.board.levels[0] === 'high') queueMicrotask(unplug);
      return 'low';
    };
    expect(await answer).toMatchObject({ outcome: 'unproven', reason: 'feedback-missing' });
    expect(states()).toEqual([null]);
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

  test('is told off as soon as it is back, also where a forced change has found it away meanwhile (I4)', async () => {
    await world.guard.execute(command(world, 2, PULSE));
    unplug();
    const change = [{ numOutput: 2, settings: ON_OFF }];
    await expect(world.guard.configure(change, true)).rejects.toMatchObject({
      code: 'refused',
      reason: { code: 'output-stays-on', values: { numOutput: 2 } },
    });
    await world.clock.advance(1_030);
    expect(world.board.levels[2]).toBe('high');
    plug();
    await settled();
    expect(world.board.levels[2]).toBe('low');
  });

  test('restores nothing that a change of settings keeps from it meanwhile: "on" belongs to a new boot (I5)', async () => {
    unplug();
    await world.guard.configure([{ numOutput: 1, settings: { ...RESTORED, powerOn: 'on' } }], false);
    plug();
    await world.clock.advance(1_000);
    expect(states()).toEqual([0, 0, 0, 0]);
    expect(world.board.levels[1]).toBe('low');
  });

  test('is told off by a guard that hung while it stopped: in that time it has tried nothing', async () => {
    unplug();
    const stopped = world.guard.stop();
    await world.clock.advance(500);
    world.clock.holdUp(10_000);
    await world.clock.advance(0);
    plug();
    await world.clock.advance(1_000);
    expect(await stopped).toEqual([]);
    expect(world.board.levels).toEqual(['low', 'low', 'low', 'low']);
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
