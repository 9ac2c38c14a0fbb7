/** Outputs of one interlock in a whole guard: break, wait, make, and what stands in the way of each. */
import { describe, expect, test } from '@jest/globals';
import { openGuard } from '@relaygate/device-agent/guard/open-guard';
import type { OutputSettings } from '@relaygate/shared/device';
import { FakeBoard } from '../../../support/device/fake-board';
import { textsOf } from '../../../support/device/fault-texts';
import {
  command,
  IMPULSE,
  OFF,
  ON,
  ON_OFF,
  PULSE,
  portsOf,
  STATE,
  startGuard,
  type World,
} from '../../../support/device/guard-in-memory';
import { MemoryFiles } from '../../../support/device/memory-files';
import { VirtualClock } from '../../../support/time/virtual-clock';

describe('two outputs that exclude each other', () => {
  const up = { ...ON_OFF, interlock: 'motor', interlockDelayMs: 300 };
  const down = { ...ON_OFF, interlock: 'motor', interlockDelayMs: 100 };
  const pulsed = { ...IMPULSE, interlock: 'motor', interlockDelayMs: 0 };
  const edgesOf = (world: World, sinceMs: number): [number, string, number][] =>
    world.board.edges.map(({ line, level, atMs }) => [line, level, atMs - sinceMs]);
  /** A guard whose first orders are long ago. */
  const started = async (outputs: OutputSettings[] = [up, down, pulsed]): Promise<World> => {
    const world = await startGuard(outputs);
    await world.clock.advance(10_000);
    return world;
  };

  test('move nothing where the delay cannot end before the deadline (I2)', async () => {
    const world = await started();
    await world.guard.execute(command(world, 0, ON));
    const startBeforeMs = world.clock.nowMs() + 300;
    const reply = await world.guard.execute(command(world, 1, ON, { startBeforeMs }));
    expect(reply).toMatchObject({ outcome: 'refused', reason: 'interlock-delay', state: 0 });
    expect(world.board.levels).toEqual(['high', 'low', 'low']);
  });

  test('are refused while one of them pulses', async () => {
    const world = await started();
    await world.guard.execute(command(world, 2, PULSE));
    const reply = await world.guard.execute(command(world, 0, ON));
    expect(reply).toMatchObject({ outcome: 'refused', reason: 'interlocked' });
    await world.clock.advance(10_000);
    expect(await world.guard.execute(command(world, 0, ON))).toMatchObject({ outcome: 'executed' });
  });

  describe('on a board that does not answer', () => {
    const OTHERS_UNREAD = { outcome: 'refused', reason: 'interlock-unread', state: 0 };
    const silent = async (): Promise<World> => {
      const clock = new VirtualClock();
      const board = new FakeBoard(clock, 3);
      board.answer = (order) => ({ ...board.move(order), kind: 'driven', atMs: clock.nowMs(), readBack: null });
      const parts = { clock, files: new MemoryFiles(), board };
      const guard = await openGuard([up, down, pulsed], portsOf(parts));
      await clock.advance(10_000);
      return { ...parts, guard };
    };
    const unread = (n: number) => expect.stringMatching(new RegExp(`Output ${n} .* cannot be read back`));

    test('are refused: one byte that is lost would leave both on (I14)', async () => {
      const world = await silent();
      for (const [n, order] of [
        [0, ON],
        [1, ON],
        [2, PULSE],
      ] as const)
        expect(await world.guard.execute(command(world, n, order))).toMatchObject(OTHERS_UNREAD);
      expect(world.board.edges).toEqual([]);
      expect(textsOf(world.guard.view().faults)).toEqual([unread(0), unread(1), unread(2)]);
      expect(await world.guard.execute(command(world, 0, OFF))).toMatchObject({ outcome: 'already-set' });
    });

    test('are driven off when the board answers that one of them is on', async () => {
      const world = await silent();
      // It had lost the order.
      world.board.levels[1] = 'high';
      const refuses = world.guard.execute(command(world, 0, ON));
      expect(await refuses).toMatchObject(OTHERS_UNREAD);
      world.board.answer = () => null;
      const off = world.board.hold('low');
      world.board.listener?.readable?.(['low', 'high', 'low']);
      const startBeforeMs = world.clock.nowMs() + 4_000;
      const reply = world.guard.execute(command(world, 0, ON, { startBeforeMs }));
      await world.clock.advance(100);
      expect(world.board.levels).toEqual(['low', 'high', 'low']);
      off();
      await world.clock.advance(400);
      expect(await reply).toMatchObject({ outcome: 'executed', state: 1 });
      expect(world.board.levels).toEqual(['high', 'low', 'low']);
      expect(world.guard.view().faults).toEqual([]);
    });
  });

  test('stay off where commands to switch on wait before the "off"', async () => {
    const world = await started();
    await world.guard.execute(command(world, 0, ON));
    const replies = [ON, ON, OFF].map((order) => world.guard.execute(command(world, 1, order)));
    await world.clock.advance(5_000);
    expect(await Promise.all(replies)).toMatchObject([
      { outcome: 'refused', reason: 'overtaken' },
      { outcome: 'refused', reason: 'overtaken' },
      { outcome: 'already-set' },
    ]);
    expect(world.board.levels).toEqual(['high', 'low', 'low']);
  });

  test('let an "off" that is too late overtake nothing', async () => {
    const world = await started();
    const startBeforeMs = world.clock.nowMs();
    const on = world.guard.execute(command(world, 1, ON));
    expect(await world.guard.execute(command(world, 1, OFF, { startBeforeMs }))).toMatchObject({ outcome: 'expired' });
    expect(await on).toMatchObject({ outcome: 'executed' });
  });

  test('stay off where the disk does not take that the other one is off', async () => {
    const world = await started([{ ...up, powerOn: 'restore' }, down]);
    await world.guard.execute(command(world, 0, ON));
    world.files.failing.set(STATE, 'ENOSPC');
    const reply = world.guard.execute(command(world, 1, ON));
    await world.clock.advance(300);
    expect(await reply).toMatchObject({ outcome: 'refused', reason: 'interlock-broken' });
    expect(world.board.levels).toEqual(['low', 'low']);
  });

  test.each([
    ['commanded', OFF],
    ['broken', null],
  ])('stay off while the input of one that was switched off does not show it: %s', async (_how, first) => {
    const world = await started([{ ...up, feedbackInput: 0, feedbackMs: 200 }, down]);
    const [edge] = world.board.edges;
    world.board.inputLevel = () => (world.board.edges.length > 0 ? 'high' : 'low');
    expect(edge).toBeUndefined();
    expect(await world.guard.execute(command(world, 0, ON))).toMatchObject({ outcome: 'executed' });
    const off = first && world.guard.execute(command(world, 0, first));
    await world.clock.advance(500);
    if (off) expect(await off).toMatchObject({ outcome: 'unproven' });
    const reply = world.guard.execute(command(world, 1, ON));
    await world.clock.advance(500);
    expect(await reply).toMatchObject({ outcome: 'refused', reason: first ? 'interlocked' : 'interlock-broken' });
    expect(world.board.levels).toEqual(['low', 'low']);
  });

  test('wait until the input of the other one shows that it is off', async () => {
    const world = await started([{ ...up, feedbackInput: 0, feedbackMs: 600 }, down]);
    world.board.inputLevel = () => {
      const edge = world.board.edges.at(-1);
      const isOn = edge?.level === 'high' || (edge !== undefined && world.clock.nowMs() < edge.atMs + 400);
      return isOn && edge?.line === 0 ? 'high' : 'low';
    };
    expect(await world.guard.execute(command(world, 0, ON))).toMatchObject({ outcome: 'executed' });
    const atMs = world.clock.nowMs();
    const reply = world.guard.execute(command(world, 1, ON));
    await world.clock.advance(600);
    expect(await reply).toMatchObject({ outcome: 'executed' });
    expect(edgesOf(world, atMs).slice(1)).toEqual([
      [0, 'low', 0],
      [1, 'high', 400],
    ]);
  });

  test('do not both power on, and the first one waits for relays of a guard before (I14)', async () => {
    const world = await startGuard([up, down]);
    world.board.move({ line: 1, level: 'high', notAfterMs: null });
    const atMs = world.clock.nowMs();
    const again = startGuard(
      [
        { ...up, powerOn: 'on' },
        { ...down, powerOn: 'on' },
      ],
      world,
      'boot-2',
    );
    await world.clock.advance(1_000);
    await again;
    expect(edgesOf(world, atMs).slice(1)).toEqual([
      [1, 'low', 0],
      [0, 'high', 300],
    ]);
  });

  test('are two at least: one that is alone is a fault', async () => {
    const world = await startGuard([up, ON_OFF]);
    expect(textsOf(world.guard.view().faults)).toEqual(['Output 0 (Output 0) is alone in its interlock "motor".']);
    await world.guard.configure([{ numOutput: 1, settings: down }], false);
    expect(textsOf(world.guard.view().faults)).toEqual([]);
  });
});
