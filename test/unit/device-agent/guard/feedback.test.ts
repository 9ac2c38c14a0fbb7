import { describe, expect, test } from '@jest/globals';
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
import { settled } from '../../../support/virtual-clock';

const SHOWN = { ...ON_OFF, feedbackInput: 5, feedbackMs: 300 };
const missing = { outcome: 'unproven', reason: 'feedback-missing' };
const fault = 'Output 0 (Output 0) was switched, and its feedback input does not show it.';

/** A guard with one output, and an input that shows the relay `lateMs` after it moved; null: never. */
async function started(settings: OutputSettings, lateMs: number | null): Promise<World> {
  const world = await startGuard([settings]);
  world.board.inputLevel = (input) => {
    const edge = world.board.edges.at(-1);
    const isShown = input === 5 && edge !== undefined && lateMs !== null && world.clock.nowMs() >= edge.atMs + lateMs;
    return isShown ? edge.level : 'low';
  };
  return world;
}

describe('an output with a feedback input', () => {
  test('is executed once the input shows it', async () => {
    const world = await started(SHOWN, 100);
    let isAnswered = false;
    const reply = world.guard.execute(command(world, 0, ON)).finally(() => (isAnswered = true));
    await world.clock.advance(90);
    expect(isAnswered).toBe(false);
    await world.clock.advance(10);
    expect(await reply).toMatchObject({ outcome: 'executed', state: 1 });
    expect(world.guard.view().faults).toEqual([]);
  });

  test('is unproven when the input does not show it in time, stays as commanded, and is flagged', async () => {
    const world = await started(SHOWN, null);
    const reply = world.guard.execute(command(world, 0, ON));
    await world.clock.advance(300);
    expect(await reply).toMatchObject({ ...missing, state: 1 });
    expect(world.board.levels[0]).toBe('high');
    expect(world.guard.view()).toMatchObject({ outputs: [{ state: 1, unproven: true }], faults: [fault] });
  });

  test('is not called already-set while the input shows something else (I3)', async () => {
    const world = await started(SHOWN, null);
    for (const _again of [1, 2]) {
      const reply = world.guard.execute(command(world, 0, ON));
      await world.clock.advance(300);
      expect(await reply).toMatchObject(missing);
    }
  });

  test('loses its flag with the next command that is proven', async () => {
    const world = await started(SHOWN, null);
    const reply = world.guard.execute(command(world, 0, ON));
    await world.clock.advance(300);
    expect(await reply).toMatchObject(missing);
    expect(await world.guard.execute(command(world, 0, OFF))).toMatchObject({ outcome: 'executed' });
    expect(world.guard.view().faults).toEqual([]);
  });

  test('takes no other command before it is proven or not', async () => {
    const world = await started(SHOWN, 100);
    const replies = [world.guard.execute(command(world, 0, ON)), world.guard.execute(command(world, 0, OFF))];
    await world.clock.advance(50);
    expect(world.board.levels[0]).toBe('high');
    await world.clock.advance(300);
    expect(await Promise.all(replies)).toMatchObject([{ outcome: 'executed' }, { outcome: 'executed' }]);
    expect(world.board.levels[0]).toBe('low');
  });

  test('knows the level of its input while on', async () => {
    const world = await started({ ...SHOWN, feedbackActiveLevel: 'low' }, null);
    expect(await world.guard.execute(command(world, 0, ON))).toMatchObject({ outcome: 'executed' });
  });

  test('is unproven on a board that cannot read', async () => {
    const world = await started(SHOWN, 0);
    world.board.inputLevel = () => null;
    const reply = world.guard.execute(command(world, 0, ON));
    await world.clock.advance(300);
    expect(await reply).toMatchObject(missing);
  });

  test('that a policy switches off meanwhile is unproven, and not flagged', async () => {
    const world = await started({ ...SHOWN, maxOnMs: 100 }, null);
    const reply = world.guard.execute(command(world, 0, ON));
    await world.clock.advance(300);
    expect(await reply).toMatchObject({ ...missing, state: 0 });
    expect(world.guard.view().faults).toEqual([]);
  });

  test('is not held on by a proof when the guard ends', async () => {
    const world = await started(SHOWN, null);
    const reply = world.guard.execute(command(world, 0, ON));
    await settled();
    const stopped = world.guard.stop();
    await settled();
    expect(world.board.levels[0]).toBe('low');
    await world.clock.advance(300);
    await stopped;
    expect(await reply).toMatchObject(missing);
  });
});

describe('a pulse with a feedback input', () => {
  test('is proven by an input that follows it, and keeps its length', async () => {
    const world = await started({ ...IMPULSE, pulseMs: 200, feedbackInput: 5, feedbackMs: 1_000 }, 50);
    const atMs = world.clock.nowMs();
    const reply = world.guard.execute(command(world, 0, PULSE));
    await world.clock.advance(50);
    expect(await reply).toMatchObject({ outcome: 'executed' });
    await world.clock.advance(500);
    expect(world.board.edges.map((edge) => edge.atMs - atMs)).toEqual([0, 200]);
  });

  test('keeps its length when nothing follows it', async () => {
    const world = await started({ ...IMPULSE, pulseMs: 200, feedbackInput: 5, feedbackMs: 1_000 }, null);
    const reply = world.guard.execute(command(world, 0, PULSE));
    await world.clock.advance(200);
    expect(world.board.levels[0]).toBe('low');
    await world.clock.advance(800);
    expect(await reply).toMatchObject({ ...missing, state: 0 });
  });

  test('that moves nothing needs no proof', async () => {
    const world = await started({ ...IMPULSE, feedbackInput: 5 }, null);
    expect(await world.guard.execute(command(world, 0, OFF))).toMatchObject({ outcome: 'executed' });
  });
});
