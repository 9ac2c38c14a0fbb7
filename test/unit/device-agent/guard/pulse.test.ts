import { describe, expect, test } from '@jest/globals';
import { textsOf } from '../../../support/device/fault-texts';
import {
  command,
  IMPULSE,
  JOURNAL,
  never,
  ON,
  ON_OFF,
  PULSE,
  STATE,
  startGuard,
} from '../../../support/device/guard-in-memory';

describe('a pulse', () => {
  test('ends at its time from the leading edge, whatever the files do', async () => {
    const world = await startGuard();
    const atMs = world.clock.nowMs();
    await world.guard.execute(command(world, 2, PULSE));
    world.files.slow.set(JOURNAL, new Promise(() => {}));
    world.files.slow.set(STATE, new Promise(() => {}));
    void world.guard.execute(command(world, 0, ON));
    await world.clock.advance(600);
    expect(world.board.edges.map((edge) => [edge.level, edge.atMs - atMs])).toEqual([
      ['high', 0],
      ['low', 500],
    ]);
  });

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

  test('ends on time beside a board call that hangs at another output', async () => {
    const world = await startGuard();
    await world.guard.execute(command(world, 2, PULSE));
    world.board.answer = ({ line }) => (line === 0 ? never : null);
    void world.guard.execute(command(world, 0, ON));
    await world.clock.advance(500);
    expect(world.board.levels[2]).toBe('low');
  });

  test('whose end the board refuses is ended as soon as it works, with a fault meanwhile', async () => {
    const world = await startGuard();
    await world.guard.execute(command(world, 2, PULSE));
    world.board.answer = () => ({ kind: 'failed', problem: 'no power' });
    await world.clock.advance(700);
    expect(textsOf(world.guard.view().faults)).toEqual([
      'Output 2 (Output 2) cannot be switched off (no power); it is tried again.',
    ]);
    expect(world.guard.view().outputs[2]?.state).toBeNull();
    world.board.answer = () => null;
    await world.clock.advance(100);
    expect(world.board.levels[2]).toBe('low');
    expect(textsOf(world.guard.view().faults)).toEqual([]);
    expect(world.guard.view().outputs[2]?.state).toBe(0);
  });

  test('that commands extend ends at its time from the last of them', async () => {
    const world = await startGuard([ON_OFF, ON_OFF, { ...IMPULSE, retrigger: 'extend' }]);
    const atMs = world.clock.nowMs();
    await world.guard.execute(command(world, 2, PULSE));
    await world.clock.advance(400);
    expect(await world.guard.execute(command(world, 2, PULSE))).toMatchObject({ outcome: 'executed', state: 1 });
    await world.clock.advance(1_000);
    expect(world.board.edges.map((edge) => [edge.level, edge.atMs - atMs])).toEqual([
      ['high', 0],
      ['low', 900],
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

  test('that the board does not confirm within its own length is switched off and refused (I4)', async () => {
    const world = await startGuard();
    world.board.answer = ({ level }) => (level === 'high' ? never : null);
    const reply = world.guard.execute(command(world, 2, PULSE));
    await world.clock.advance(500);
    expect(await reply).toMatchObject({ outcome: 'refused', reason: 'board-failed' });
    expect(world.board.orders.at(-1)).toMatchObject({ line: 2, level: 'low' });
  });

  test('runs on with its length when pulseMs is changed, and the next one has the new length', async () => {
    const world = await startGuard();
    await world.guard.execute(command(world, 2, PULSE));
    await world.guard.configure([{ numOutput: 2, settings: { ...IMPULSE, pulseMs: 750 } }], false);
    await world.clock.advance(500);
    expect(world.board.levels[2]).toBe('low');
    await world.guard.execute(command(world, 2, PULSE));
    await world.clock.advance(749);
    expect(world.board.levels[2]).toBe('high');
    await world.clock.advance(1);
    expect(world.board.levels[2]).toBe('low');
  });
});
