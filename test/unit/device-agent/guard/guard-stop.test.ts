import { describe, expect, test } from '@jest/globals';
import { outputsWith } from '../../../support/device/device';
import { command, JOURNAL, ON, PULSE, RESTORED, STATE, startGuard } from '../../../support/device/guard-in-memory';
import { fulfilled } from '../../../support/time/fulfilled';
import { settled } from '../../../support/time/virtual-clock';

describe('a guard that is told to stop', () => {
  test('begins nothing that waits for the end of a pulse', async () => {
    const world = await startGuard();
    await world.guard.execute(command(world, 2, PULSE));
    const end = world.board.hold();
    await world.clock.advance(500);
    void world.guard.execute(command(world, 2, PULSE));
    const stopped = world.guard.stop();
    world.board.answer = () => null;
    end();
    await stopped;
    await world.clock.advance(10_000);
    expect(world.board.edges.map(({ level }) => level)).toEqual(['high', 'low']);
  });

  test('answers what the board has in hand with what the board did, then switches it off', async () => {
    const world = await startGuard();
    const finish = world.board.hold('high');
    const reply = world.guard.execute(command(world, 2, PULSE));
    await settled();
    const stopped = world.guard.stop();
    finish();
    expect((await reply)?.outcome).toBe('executed');
    expect(await stopped).toEqual([]);
    expect(world.board.edges.map(({ level }) => level)).toEqual(['high', 'low']);
  });

  test('does not wait for a disk to switch off, and says of the command that it is not saved', async () => {
    const world = await startGuard(outputsWith({ 0: { powerOn: 'restore' } }));
    world.files.slow.set(STATE, new Promise(() => {}));
    const reply = world.guard.execute(command(world, 0, ON));
    await settled();
    expect(world.board.levels[0]).toBe('high');
    const stopped = world.guard.stop();
    expect(await reply).toMatchObject({ outcome: 'unproven', reason: 'state-not-saved' });
    expect(world.board.levels[0]).toBe('low');
    await world.clock.advance(500);
    expect(await stopped).toEqual([]);
  });

  test('is gone only when its disk knows what a policy has switched off, so that the next boot leaves it off (I5)', async () => {
    const world = await startGuard([{ ...RESTORED, maxOnMs: 3_000 }]);
    await world.guard.execute(command(world, 0, ON));
    const written = world.files.hold(STATE);
    await world.clock.advance(3_000);
    const isGone = fulfilled(world.guard.stop());
    await world.clock.advance(400);
    expect([world.board.levels[0], isGone()]).toEqual(['low', false]);
    written();
    await settled();
    expect(isGone()).toBe(true);
    expect(JSON.parse(world.files.texts.get(STATE) ?? '')).toMatchObject({ active: { 0: false } });
  });

  test('is gone only when its journal says what became of each command', async () => {
    const world = await startGuard();
    let written = (): void => {};
    world.board.answer = () => {
      world.files.slow.set(JOURNAL, new Promise((resolve) => (written = resolve)));
      return null;
    };
    await world.guard.execute(command(world, 0, ON, { commandId: 'last' }));
    world.board.answer = () => null;
    let isGone = false;
    const stopped = world.guard.stop().then(() => (isGone = true));
    await settled();
    expect(isGone).toBe(false);
    written();
    await stopped;
    expect(world.files.texts.get(JOURNAL)).toContain('{"outcome":{"commandId":"last"');
  });

  test('says which outputs a failing board kept on', async () => {
    const world = await startGuard();
    await world.guard.execute(command(world, 0, ON));
    world.board.answer = () => ({ kind: 'failed', problem: 'no power' });
    const stopped = world.guard.stop();
    await world.clock.advance(6_000);
    expect(await stopped).toEqual([0]);
    expect(world.board.inactiveAtClose).toEqual([1, 2, 3]);
  });
});
