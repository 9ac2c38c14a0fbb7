import { describe, expect, test } from '@jest/globals';
import { LOOK_AGAIN_MS } from '@relaygate/device-agent/guard/commands/feedback-watch';
import type { OutputSettings } from '@relaygate/shared/device';
import { textsOf } from '../../../../support/device/fault-texts';
import {
  command,
  IMPULSE,
  OFF,
  ON,
  ON_OFF,
  PULSE,
  RESTORED,
  STATE,
  showRelay,
  startGuard,
  type World,
} from '../../../../support/device/guard-in-memory';
import { settled } from '../../../../support/time/virtual-clock';

const SHOWN = { ...ON_OFF, feedbackInput: 5, feedbackMs: 300 };
const missing = { outcome: 'unproven', reason: 'feedback-missing' };
const stuck = { outcome: 'unproven', reason: 'feedback-stuck' };
const fault = { code: 'output-unproven', values: { numOutput: 0, name: 'Output 0' } };

/** A guard with one output, and an input that shows it `lateMs` after it moved; by default never. */
async function started(settings: OutputSettings, lateMs?: number): Promise<World> {
  const world = await startGuard([{ ...settings, name: 'Output 0' }]);
  showRelay(world, lateMs);
  return world;
}

describe('an output with a feedback input', () => {
  test('is executed once it was shown behind its edge, also where the input cannot be read any more when the disk has it', async () => {
    const world = await started({ ...RESTORED, feedbackInput: 5, feedbackMs: 300 }, 100);
    let release = (): void => {};
    world.files.slow.set(STATE, new Promise((resolve) => (release = resolve)));
    const reply = world.guard.execute(command(world, 0, ON));
    await world.clock.advance(500);
    expect(world.board.levels[0]).toBe('high');
    world.board.inputLevel = () => null;
    release();
    await world.clock.advance(400);
    expect(await reply).toMatchObject({ outcome: 'executed', state: 1 });
  });

  test('is not called already-set while the input shows something else (I3)', async () => {
    const world = await started(SHOWN);
    for (const _again of [1, 2]) {
      const reply = world.guard.execute(command(world, 0, ON));
      await world.clock.advance(300);
      expect(await reply).toMatchObject(missing);
    }
  });

  test('is proven by no input that showed it before, and loses its flag once it shows what was commanded', async () => {
    const world = await started(SHOWN);
    const reply = world.guard.execute(command(world, 0, ON));
    await world.clock.advance(300);
    expect(await reply).toMatchObject(missing);
    expect(await world.guard.execute(command(world, 0, OFF))).toMatchObject(stuck);
    expect(world.board.levels[0]).toBe('low');
    expect(textsOf(world.guard.view().faults)).toEqual([]);
    expect(await world.guard.execute(command(world, 0, OFF))).toMatchObject({ outcome: 'already-set' });
  });

  test('loses its flag by itself once its input shows it, and lets the others of its interlock go on again', async () => {
    const locked = { ...ON_OFF, interlock: 'motor', interlockDelayMs: 0 };
    const world = await startGuard([{ ...locked, feedbackInput: 5, feedbackMs: 300, name: 'Output 0' }, locked]);
    world.board.inputLevel = () => 'high';
    const reply = world.guard.execute(command(world, 0, OFF));
    await world.clock.advance(300);
    expect(await reply).toMatchObject(missing);
    expect(await world.guard.execute(command(world, 1, ON))).toMatchObject({ reason: 'interlocked' });
    world.board.inputLevel = () => 'low';
    await world.clock.advance(LOOK_AGAIN_MS);
    expect(textsOf(world.guard.view().faults)).toEqual([]);
    expect(await world.guard.execute(command(world, 1, ON))).toMatchObject({ outcome: 'executed' });
  });

  test('is not proven by an input that is always active', async () => {
    const world = await started(SHOWN);
    world.board.inputLevel = () => 'high';
    expect(await world.guard.execute(command(world, 0, ON))).toMatchObject({ ...stuck, state: 1 });
  });

  test.each<[string, Partial<OutputSettings>]>([
    ['after a pulse', { mode: 'impulse', pulseMs: 200 }],
    ['after a policy has ended it', { maxOnMs: 200 }],
  ])('is flagged when its relay stays closed %s', async (_name, settings) => {
    const world = await started({ ...SHOWN, ...settings }, 0);
    const reply = world.guard.execute(command(world, 0, ON));
    await world.clock.advance(10);
    expect(await reply).toMatchObject({ outcome: 'executed' });
    world.board.inputLevel = () => 'high';
    await world.clock.advance(489);
    expect(world.guard.view()).toMatchObject({ outputs: [{ state: 0 }], faults: [] });
    await world.clock.advance(1);
    expect(world.guard.view()).toMatchObject({ outputs: [{ state: 0, unproven: true }], faults: [fault] });
  });

  test('that a policy switches off meanwhile is unproven, and not flagged', async () => {
    const world = await started({ ...SHOWN, maxOnMs: 100 });
    const reply = world.guard.execute(command(world, 0, ON));
    await world.clock.advance(300);
    expect(await reply).toMatchObject({ outcome: 'unproven', reason: 'ended-by-policy', state: 0 });
    expect(textsOf(world.guard.view().faults)).toEqual([]);
  });

  test('is not held on by a proof when the guard ends', async () => {
    const world = await started(SHOWN);
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
  test.each(['ignore', 'extend'] as const)('that is not shown is no second one: %s', async (retrigger) => {
    const world = await started({ ...IMPULSE, feedbackInput: 5, retrigger });
    const atMs = world.clock.nowMs();
    const replies = [world.guard.execute(command(world, 0, PULSE))];
    await world.clock.advance(200);
    replies.push(world.guard.execute(command(world, 0, PULSE)));
    await world.clock.advance(2_000);
    const endMs = retrigger === 'ignore' ? 500 : 700;
    expect(world.board.edges.map((edge) => edge.atMs - atMs)).toEqual([0, endMs]);
    expect(await Promise.all(replies)).toMatchObject([missing, missing]);
    expect(world.guard.view().faults).toEqual([fault]);
  });

  test('that moves nothing needs no proof', async () => {
    const world = await started({ ...IMPULSE, feedbackInput: 5 });
    expect(await world.guard.execute(command(world, 0, OFF))).toMatchObject({ outcome: 'executed' });
  });
});
