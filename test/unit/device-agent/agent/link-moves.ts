/** What may happen to a device's link, and lists of it made by chance. */
import { CLOSE, DEAD_LINK_MS, HANDSHAKE_MS, HEARTBEAT_MS, TIME_SAMPLE_LIFE_MS } from '@relaygate/shared';
import fc from 'fast-check';

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

/** Keeps the literal type. */
const named = <Name extends string>(name: Name): fc.Arbitrary<Name> => fc.constant(name);

const chance = fc.double({ min: 0, max: 0.999, noNaN: true });

export const linkMoves: fc.Arbitrary<LinkMove[]> = fc.array(
  fc.oneof<fc.WeightedArbitrary<LinkMove>[]>(
    { weight: 3, arbitrary: fc.record({ move: named('link-up'), rttMs: fc.constantFrom(0, 3, 40, 900) }) },
    { weight: 2, arbitrary: fc.record({ move: named('open') }) },
    {
      weight: 4,
      arbitrary: fc.record({ move: named('answer'), fraction: fc.double({ min: 0, max: 1, noNaN: true }) }),
    },
    { weight: 2, arbitrary: fc.record({ move: named('repeat'), which: fc.nat(9) }) },
    {
      weight: 1,
      arbitrary: fc.record({
        move: named('odd-frame'),
        which: fc.constantFrom(...ODD_FRAMES),
      }),
    },
    {
      weight: 4,
      arbitrary: fc.record({
        move: named('command'),
        epochs: fc.constantFrom(0, 0, 0, 1, -1),
        inMs: fc.constantFrom(-50, 0, 4, 100, 4_500),
      }),
    },
    { weight: 2, arbitrary: fc.record({ move: named('guard') }) },
    {
      weight: 4,
      arbitrary: fc.record({
        move: named('pass'),
        ms: fc.constantFrom(1, 20, 300, 5_000, HEARTBEAT_MS, HANDSHAKE_MS, DEAD_LINK_MS, TIME_SAMPLE_LIFE_MS),
      }),
    },
    {
      weight: 2,
      arbitrary: fc.record({
        move: named('close'),
        code: fc.constantFrom(null, null, null, CLOSE.goingAway, CLOSE.replaced, CLOSE.refused, CLOSE.revoked),
        chance,
      }),
    },
  ),
  { maxLength: 50, size: 'max' },
);
