/** What a board says of its orders, or does not say, as the guard shows it. */
import { describe, expect, test } from '@jest/globals';
import { command, PULSE, startGuard } from '../../../support/device/guard-in-memory';

describe('a board that hangs', () => {
  test('gets the end of a pulse again as soon as a guard that hung meanwhile goes on (I4)', async () => {
    const world = await startGuard();
    await world.guard.execute(command(world, 2, PULSE));
    world.board.answer = () => new Promise(() => {});
    await world.clock.advance(550);
    world.board.answer = () => null;
    world.clock.holdUp(5_000);
    const goesOnMs = world.clock.nowMs();
    await world.clock.advance(200);
    expect(world.board.edges.at(-1)).toEqual({ line: 2, level: 'low', atMs: goesOnMs });
  });
});

describe('what a board tells of its orders', () => {
  test('is shown: written only, and that the board ends the pulse', async () => {
    const world = await startGuard();
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
