import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { firstViolation } from '../../../support/chance/first-violation';
import { generatedRounds } from '../../../support/chance/generated-rounds';
import { ClusterWorld } from './cluster-model';
import { clusterGames } from './cluster-moves';
import { SABOTAGES } from './cluster-sabotage';

/** Of a deliberate fault; the search ends at its first. */
const MAX_GAMES = 400;

describe('three nodes, whatever broker, database, devices and the nodes themselves do', () => {
  test('one in flight, started once and in time, answered with the truth (I1, I2, I6, I9, I13)', async () => {
    await fc.assert(
      fc.asyncProperty(clusterGames, (game) => ClusterWorld.play(game)),
      generatedRounds(100, 300),
    );
  });

  test('a device is reached that linked to another node before its late opening at a frozen one came to nothing', async () => {
    await ClusterWorld.play({
      seed: 0,
      moves: [
        { move: 'store', node: 0, mode: 'slow' },
        { move: 'pass', ms: 1_000 },
        { move: 'roam', gate: 0, to: 0, ms: 30 },
        { move: 'freeze', node: 0 },
        { move: 'unlink', gate: 0, to: 0, how: 'cut' },
        { move: 'pass', ms: 1_000 },
      ],
    });
  });

  test.each(SABOTAGES)('would be caught when a node %s', async (_name, violation, sabotage) => {
    const play = (game: Parameters<typeof ClusterWorld.play>[0]) => ClusterWorld.play(game, sabotage());
    expect(await firstViolation(clusterGames, play, violation, MAX_GAMES)).toContain(violation);
  });
});
