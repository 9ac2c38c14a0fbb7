/** What a board says of its orders, or does not say, as the guard shows it. */
import { describe, expect, test } from '@jest/globals';
import { textsOf } from '../../../support/device/fault-texts';
import { command, ON, PULSE, startGuard } from '../../../support/device/guard-in-memory';

describe('a board that hangs', () => {
  test('is a fault also while its relay is tried again, and no news with each try', async () => {
    const world = await startGuard();
    world.board.answer = () =>
      new Promise((fail) => world.clock.after(400, () => fail({ kind: 'failed', problem: 'no power' })));
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
