import { expect, test } from '@jest/globals';
import { isServerGone, Load, ServerGone } from '../../support/faults/load';

test('a load runs until the other side is gone', async () => {
  const turns: number[] = [];
  const load = new Load(async (turn) => {
    turns.push(turn);
    if (turn === 3) throw new ServerGone();
  }, isServerGone);
  await load.begun;
  await load.ended;
  expect(turns).toEqual([0, 1, 2, 3]);
});

test.each([0, 3])('an expectation that fails in turn %i fails the test', async (failing) => {
  const load = new Load(async (turn) => expect(turn).not.toBe(failing), isServerGone);
  await expect(load.ended).rejects.toThrow(/not.toBe/);
});

test('a load that never ran is none', async () => {
  const load = new Load(async () => {
    throw new ServerGone();
  }, isServerGone);
  await expect(load.begun).rejects.toThrow('gone before the load ran');
  await expect(load.ended).rejects.toThrow('gone before the load ran');
});
