import { describe, expect, test } from '@jest/globals';
import { command, IMPULSE, JOURNAL, ON_OFF, PULSE, startGuard } from '../../../support/device/guard-in-memory';

describe('a pulse', () => {
  test('ends at its time from its edge when the board answers late (I4)', async () => {
    const world = await startGuard();
    const edgeMs = world.clock.nowMs();
    world.board.answer = (order) => {
      const result = world.board.move(order);
      return new Promise((resolve) => void world.clock.after(200, () => resolve(result)));
    };
    void world.guard.execute(command(world, 2, PULSE));
    await world.clock.advance(600);
    expect(world.board.edges.map((edge) => [edge.level, edge.atMs - edgeMs])).toEqual([
      ['high', 0],
      ['low', 500],
    ]);
  });

  test('is not extended by a command whose record hangs: it ends, and another one begins (I1, I4)', async () => {
    const world = await startGuard([ON_OFF, ON_OFF, { ...IMPULSE, retrigger: 'extend' }]);
    const atMs = world.clock.nowMs();
    await world.guard.execute(command(world, 2, PULSE));
    let write = (): void => {};
    world.files.slow.set(JOURNAL, new Promise((resolve) => (write = resolve)));
    await world.clock.advance(400);
    const reply = world.guard.execute(command(world, 2, PULSE));
    await world.clock.advance(200);
    write();
    expect(await reply).toMatchObject({ outcome: 'executed' });
    await world.clock.advance(1_000);
    expect(world.board.edges.map((edge) => [edge.level, edge.atMs - atMs])).toEqual([
      ['high', 0],
      ['low', 500],
      ['high', 600],
      ['low', 1_100],
    ]);
  });
});
