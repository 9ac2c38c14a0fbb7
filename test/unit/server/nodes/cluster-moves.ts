/** What may happen to three nodes, their devices, their broker and their database, and lists of it made by chance. */
import fc from 'fast-check';
import { plainMove, weightedMove } from '../../../support/chance/weighted-move';

export type Which = 0 | 1 | 2;
export type Gate = 0 | 1;
/** `slow`: up to 900 ms each way. `lost`: a write is done, and its answer is lost. `fails`: nothing is done. */
export type StoreMode = 'works' | 'slow' | 'lost' | 'fails';
/** `cut`: of this node alone. `noticed`: it knows. */
export type BrokerMode = 'works' | 'bad' | 'cut' | 'noticed';

export type ClusterMove =
  | { move: 'ask'; node: Which; gate: Gate }
  /** The client of the latest command may not give it any more. */
  | { move: 'revoke' }
  /** `half-open`: the node does not hear of it. */
  | { move: 'unlink'; gate: Gate; to: Which; how: 'cut' | 'half-open' }
  /** It is at another node at once; so much later somebody asks at the node that it has left, which has not heard of it. */
  | { move: 'roam'; gate: Gate; to: Which; ms: number }
  /** What the device says comes so much later. */
  | { move: 'stall'; gate: Gate; ms: number }
  | { move: 'freeze' | 'thaw' | 'kill' | 'start'; node: Which }
  | { move: 'store'; node: Which; mode: StoreMode }
  | { move: 'broker'; node: Which; mode: BrokerMode }
  /** `away`: commits wait for it, unseen by others, and nobody is told; `back`: they are there. */
  | { move: 'standby'; mode: 'away' | 'back' }
  /** A standby becomes the database: with a clock of its own, and without the commits that waited for it. */
  | { move: 'failover' }
  /** A stranger publishes on the broker. */
  | { move: 'forge' }
  | { move: 'pass'; ms: number };

export interface ClusterGame {
  seed: number;
  moves: ClusterMove[];
}

const node = fc.constantFrom<Which[]>(0, 1, 2);
const gate = fc.constantFrom<Gate[]>(0, 0, 1);

export const clusterGames: fc.Arbitrary<ClusterGame> = fc.record({
  seed: fc.nat(),
  moves: fc.array(
    fc.oneof<fc.WeightedArbitrary<ClusterMove>[]>(
      weightedMove(12, 'ask', { node, gate }),
      plainMove(2, 'revoke'),
      weightedMove(3, 'unlink', { gate, to: node, how: fc.constantFrom('cut', 'half-open') }),
      weightedMove(2, 'roam', { gate, to: node, ms: fc.constantFrom(30, 80, 200, 400) }),
      weightedMove(2, 'stall', { gate, ms: fc.constantFrom(0, 700, 3_000) }),
      weightedMove(1, 'freeze', { node }),
      weightedMove(3, 'thaw', { node }),
      weightedMove(1, 'kill', { node }),
      weightedMove(2, 'start', { node }),
      weightedMove(3, 'store', { node, mode: fc.constantFrom('works', 'slow', 'lost', 'fails') }),
      weightedMove(4, 'broker', { node, mode: fc.constantFrom('works', 'bad', 'bad', 'cut', 'noticed') }),
      weightedMove(1, 'standby', { mode: fc.constantFrom('away', 'back') }),
      plainMove(1, 'failover'),
      plainMove(2, 'forge'),
      weightedMove(8, 'pass', { ms: fc.constantFrom(1, 50, 300, 1_000, 3_000, 13_000) }),
    ),
    { maxLength: 30, size: 'max' },
  ),
});
