import { describe, expect, test } from '@jest/globals';
import type { OutputSettings } from '@relaygate/shared/device';
import {
  command,
  OFF,
  ON,
  ON_OFF,
  RESTORED,
  STATE,
  startGuard,
  type World,
} from '../../../support/device/guard-in-memory';
import { settled } from '../../../support/time/virtual-clock';

describe('settings', () => {
  const asImpulse = { ...ON_OFF, mode: 'impulse' } as const;

  test('when forced drive the output inactive first', async () => {
    const world = await startGuard();
    await world.guard.execute(command(world, 0, ON));
    await world.guard.configure([{ numOutput: 0, settings: asImpulse }], true);
    expect(world.board.levels[0]).toBe('low');
    expect(world.guard.view().outputs[0]).toEqual({ settings: asImpulse, state: 0 });
  });

  test('keep commands waiting while they are applied, and those then follow the new mode', async () => {
    const world = await startGuard();
    await world.guard.execute(command(world, 0, ON));
    const finish = world.board.hold('low');
    const applied = world.guard.configure([{ numOutput: 0, settings: asImpulse }], true);
    await settled();
    const pulsed = world.guard.execute(command(world, 0, ON));
    finish();
    await applied;
    world.board.answer = () => null;
    expect((await pulsed)?.outcome).toBe('executed');
    await world.clock.advance(500);
    expect(world.board.levels[0]).toBe('low');
  });

  test('when forced keep commands waiting until each output is through, also if another one stays on (I3)', async () => {
    const world = await startGuard([RESTORED, ON_OFF]);
    for (const numOutput of [0, 1]) await world.guard.execute(command(world, numOutput, ON));
    const written = world.files.hold(STATE);
    world.board.answer = ({ line, level }) =>
      line === 1 && level === 'low' ? { kind: 'failed', problem: 'no power' } : null;
    const changes = [0, 1].map((numOutput) => ({ numOutput, settings: asImpulse }));
    const applied = expect(world.guard.configure(changes, true)).rejects.toMatchObject({ code: 'refused' });
    await settled();
    const switched = world.guard.execute(command(world, 0, ON));
    await settled();
    written();
    expect((await switched)?.outcome).toBe('executed');
    await applied;
    await world.clock.advance(1_000);
    expect(world.board.levels[0]).toBe('high');
    expect(JSON.parse(world.files.texts.get(STATE) ?? '')).toMatchObject({ active: { 0: true } });
  });

  test('that come while an output goes off leave it remembered as off (I5)', async () => {
    const world = await startGuard([RESTORED]);
    await world.guard.execute(command(world, 0, ON));
    const finish = world.board.hold('low');
    const switched = world.guard.execute(command(world, 0, OFF));
    await settled();
    const applied = world.guard.configure([{ numOutput: 0, settings: { ...RESTORED, pulseMs: 2_000 } }], false);
    await settled();
    finish();
    expect((await switched)?.outcome).toBe('executed');
    await applied;
    expect(JSON.parse(world.files.texts.get(STATE) ?? '')).toMatchObject({ active: { 0: false } });
  });

  describe('that come in the instant in which a policy drives an output off', () => {
    const CAPPED = { ...RESTORED, maxOnMs: 3_000 };
    const isRemembered = (world: World): unknown => JSON.parse(world.files.texts.get(STATE) ?? '').active[0];
    const change = (world: World, settings: OutputSettings): Promise<void> =>
      world.guard.configure([{ numOutput: 0, settings }], false);

    test('have it remembered as off where it is to be restored from now on (I5)', async () => {
      const world = await startGuard([{ ...CAPPED, powerOn: 'off' }]);
      await world.guard.execute(command(world, 0, ON));
      const finish = world.board.hold('low');
      await world.clock.advance(3_000);
      await change(world, CAPPED);
      finish();
      await settled();
      expect(isRemembered(world)).toBe(false);
    });

    test('and cannot be applied because the disk refuses leave it remembered as off (I5)', async () => {
      const world = await startGuard([CAPPED]);
      await world.guard.execute(command(world, 0, ON));
      const finish = world.board.hold('low');
      await world.clock.advance(2_999);
      let answer = (): void => {};
      world.files.slow.set(STATE, new Promise((resolve) => (answer = resolve)));
      const applied = world.guard.configure([{ numOutput: 0, settings: { ...CAPPED, activeLevel: 'low' } }], true);
      await world.clock.advance(1);
      world.files.failing.set(STATE, 'ENOSPC');
      answer();
      await expect(applied).rejects.toMatchObject({ code: 'refused' });
      world.files.failing.clear();
      finish();
      await world.clock.advance(5_000);
      expect(isRemembered(world)).toBe(false);
    });
  });

  test('that come while the guard ends leave what it had to the next one (I5)', async () => {
    const world = await startGuard([RESTORED]);
    await world.guard.execute(command(world, 0, ON));
    await world.guard.stop();
    await world.guard.configure([{ numOutput: 0, settings: { ...RESTORED, pulseMs: 2_000 } }], false);
    expect(JSON.parse(world.files.texts.get(STATE) ?? '')).toMatchObject({ active: { 0: true } });
  });

  test('for an output that is not there name the range', async () => {
    const world = await startGuard();
    const change = world.guard.configure([{ numOutput: 7, settings: ON_OFF }], false);
    await expect(change).rejects.toMatchObject({
      code: 'output-not-found',
      reason: { code: 'no-such-output', values: { numOutput: 7, count: 4 } },
    });
  });
});
