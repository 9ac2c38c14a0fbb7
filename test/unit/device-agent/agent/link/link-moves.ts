/** What may happen to a device's link, and lists of it made by chance. */
import { CLOSE, DEAD_LINK_MS, HANDSHAKE_MS, HEARTBEAT_MS, TIME_SAMPLE_LIFE_MS } from '@relaygate/shared';
import fc from 'fast-check';
import { plainMove, weightedMove } from '../../../../support/chance/weighted-move';

const ODD_FRAMES = ['wrong-name', 'challenge', 'welcome', 'old-time', 'unknown', 'broken'] as const;
export type OddFrame = (typeof ODD_FRAMES)[number];

export type LinkMove =
  | { move: 'open' }
  /** The server says what comes next; the stamp of a time lies at `fraction` of the way there and back. */
  | { move: 'answer'; fraction: number }
  /** A frame that the server sent on this link comes once more (T7). */
  | { move: 'repeat'; which: number }
  | { move: 'odd-frame'; which: OddFrame }
  /** `epochs` away from the link's own; `inMs` on the server's clock. */
  | { move: 'command'; epochs: -1 | 0 | 1; inMs: number }
  | { move: 'guard' }
  | { move: 'pass'; ms: number }
  | { move: 'close'; code: number | null; chance: number }
  /** Everybody answers at once, until the link is up. */
  | { move: 'link-up'; rttMs: number };

const chance = fc.double({ min: 0, max: 0.999, noNaN: true });

export const linkMoves: fc.Arbitrary<LinkMove[]> = fc.array(
  fc.oneof<fc.WeightedArbitrary<LinkMove>[]>(
    weightedMove(3, 'link-up', { rttMs: fc.constantFrom(0, 3, 40, 900) }),
    plainMove(2, 'open'),
    weightedMove(4, 'answer', { fraction: fc.double({ min: 0, max: 1, noNaN: true }) }),
    weightedMove(2, 'repeat', { which: fc.nat(9) }),
    weightedMove(1, 'odd-frame', { which: fc.constantFrom(...ODD_FRAMES) }),
    weightedMove(4, 'command', {
      epochs: fc.constantFrom(0, 0, 0, 1, -1),
      inMs: fc.constantFrom(-50, 0, 4, 100, 4_500),
    }),
    plainMove(2, 'guard'),
    weightedMove(4, 'pass', {
      ms: fc.constantFrom(1, 20, 300, 5_000, HEARTBEAT_MS, HANDSHAKE_MS, DEAD_LINK_MS, TIME_SAMPLE_LIFE_MS),
    }),
    weightedMove(2, 'close', {
      code: fc.constantFrom(
        null,
        null,
        null,
        CLOSE.goingAway,
        CLOSE.replaced,
        CLOSE.refused,
        CLOSE.revoked,
        CLOSE.tooOften,
      ),
      chance,
    }),
  ),
  { maxLength: 50, size: 'max' },
);
