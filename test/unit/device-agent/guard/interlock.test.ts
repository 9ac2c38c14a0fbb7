import { describe, expect, test } from '@jest/globals';
import { clearance, type Member } from '@relaygate/device-agent/guard/interlock';
import type { OutputSettings } from '@relaygate/shared';
import {
  command,
  IMPULSE,
  OFF,
  ON,
  ON_OFF,
  PULSE,
  startGuard,
  type World,
} from '../../../support/device/guard-in-memory';

const off = (sinceMs: number): Member => ({ numOutput: 1, is: 'off', sinceMs });
const at = (is: 'on' | 'pulsing' | 'moving' | 'unknown', numOutput = 1): Member => ({ numOutput, is });

describe('an output of an interlock group', () => {
  test.each<[string, Member[], number, number, ReturnType<typeof clearance>]>([
    ['goes when it is alone', [], 500, 2_000, { do: 'go' }],
    ['goes when the other has been off for the delay', [off(500)], 500, 2_000, { do: 'go' }],
    ['waits until it has', [off(600), off(100)], 500, 2_000, { do: 'wait', untilMs: 1_100 }],
    [
      'is refused when the delay ends at the deadline',
      [off(600)],
      500,
      1_100,
      { do: 'refuse', reason: 'interlock-delay' },
    ],
    ['breaks the other', [at('on'), off(0)], 500, 2_000, { do: 'break', members: [1] }],
    [
      'breaks nothing when the delay cannot end in time',
      [at('on')],
      500,
      1_500,
      { do: 'refuse', reason: 'interlock-delay' },
    ],
    ['breaks without a delay', [at('on')], 0, 1_001, { do: 'break', members: [1] }],
    [
      'is refused while another pulses',
      [at('on'), at('pulsing', 2)],
      0,
      9_000,
      { do: 'refuse', reason: 'interlocked' },
    ],
    ['is refused while another may be on', [off(0), at('unknown')], 0, 9_000, { do: 'refuse', reason: 'interlocked' }],
    ['lets another one finish first', [at('moving', 3), at('on')], 0, 9_000, { do: 'settle', members: [3] }],
  ])('%s', (_name, others, delayMs, startBeforeMs, wanted) => {
    expect(clearance(others, delayMs, 1_000, startBeforeMs)).toEqual(wanted);
  });
});

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

  test('break, wait for the longest delay, and make', async () => {
    const world = await started();
    const atMs = world.clock.nowMs();
    await world.guard.execute(command(world, 0, ON));
    const reply = world.guard.execute(command(world, 1, ON));
    await world.clock.advance(300);
    expect(await reply).toMatchObject({ outcome: 'executed', state: 1 });
    expect(edgesOf(world, atMs)).toEqual([
      [0, 'high', 0],
      [0, 'low', 0],
      [1, 'high', 300],
    ]);
    expect(world.guard.view().outputs.map(({ state }) => state)).toEqual([0, 1, 0]);
  });

  test('wait after an off that was commanded, too', async () => {
    const world = await started();
    await world.guard.execute(command(world, 0, ON));
    await world.guard.execute(command(world, 0, OFF));
    const atMs = world.clock.nowMs();
    await world.clock.advance(200);
    const reply = world.guard.execute(command(world, 1, ON));
    await world.clock.advance(100);
    expect(await reply).toMatchObject({ outcome: 'executed' });
    expect(edgesOf(world, atMs).at(-1)).toEqual([1, 'high', 300]);
  });

  test('move nothing where the delay cannot end before the deadline (I2)', async () => {
    const world = await started();
    await world.guard.execute(command(world, 0, ON));
    const startBeforeMs = world.clock.nowMs() + 300;
    const reply = await world.guard.execute(command(world, 1, ON, { startBeforeMs }));
    expect(reply).toMatchObject({ outcome: 'refused', reason: 'interlock-delay', state: 0 });
    expect(world.board.levels).toEqual(['high', 'low', 'low']);
  });

  test('do not start after the deadline where the board breaks slowly (I2)', async () => {
    const world = await started();
    await world.guard.execute(command(world, 0, ON));
    world.board.answer = (order) => {
      const result = world.board.move(order);
      return new Promise((resolve) => void world.clock.after(200, () => resolve(result)));
    };
    const reply = world.guard.execute(command(world, 1, ON, { startBeforeMs: world.clock.nowMs() + 450 }));
    await world.clock.advance(5_000);
    expect(await reply).toMatchObject({ outcome: 'refused', reason: 'interlock-delay' });
    expect(world.board.levels).toEqual(['low', 'low', 'low']);
  });

  test('are refused while one of them pulses', async () => {
    const world = await started();
    await world.guard.execute(command(world, 2, PULSE));
    const reply = await world.guard.execute(command(world, 0, ON));
    expect(reply).toMatchObject({ outcome: 'refused', reason: 'interlocked' });
    await world.clock.advance(10_000);
    expect(await world.guard.execute(command(world, 0, ON))).toMatchObject({ outcome: 'executed' });
  });

  test('are refused while one of them cannot be switched off (I14)', async () => {
    const world = await started();
    await world.guard.execute(command(world, 0, ON));
    world.board.answer = ({ line }) => (line === 0 ? { kind: 'failed', problem: 'welded' } : null);
    const reply = await world.guard.execute(command(world, 1, ON));
    expect(reply).toMatchObject({ outcome: 'refused', reason: 'interlocked' });
    expect(world.board.levels[1]).toBe('low');
  });

  test('asked for at once go on one after the other, never together', async () => {
    const world = await started();
    const atMs = world.clock.nowMs();
    const replies = [world.guard.execute(command(world, 0, ON)), world.guard.execute(command(world, 1, ON))];
    await world.clock.advance(1_000);
    expect(await Promise.all(replies)).toMatchObject([{ outcome: 'executed' }, { outcome: 'executed' }]);
    expect(edgesOf(world, atMs)).toEqual([
      [0, 'high', 0],
      [0, 'low', 0],
      [1, 'high', 300],
    ]);
  });

  test('move nothing more for a command that the guard answered because it ends', async () => {
    const world = await started();
    await world.guard.execute(command(world, 0, ON));
    await world.guard.execute(command(world, 0, OFF));
    const reply = world.guard.execute(command(world, 1, ON));
    await world.clock.advance(10);
    await world.guard.stop();
    expect(await reply).toMatchObject({ outcome: 'refused', reason: 'guard-stopping' });
    await world.clock.advance(1_000);
    expect(world.board.levels).toEqual(['low', 'low', 'low']);
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

  test('are put together only while the one in question is off', async () => {
    const world = await started([ON_OFF, down]);
    await world.guard.execute(command(world, 0, ON));
    const change = [{ numOutput: 0, settings: up }];
    await expect(world.guard.configure(change, false)).rejects.toMatchObject({ code: 'output-active' });
    await world.guard.configure(change, true);
    expect(world.board.levels[0]).toBe('low');
  });
});
