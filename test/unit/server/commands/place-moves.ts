/** What may happen around a command that has taken its product's place, and lists of it made by chance. */
import { type CommandConfirmation, EXECUTION_DEADLINE_MS, RESPONSE_DEADLINE_MS } from '@relaygate/shared';
import fc from 'fast-check';

export type Presence = 'up' | 'recently-lost' | 'down';

export type PlaceMove =
  | { move: 'recorded' }
  | { move: 'record-failed' }
  | { move: 'link-up' }
  | { move: 'link-lost' }
  /** The authorisation has been read again. */
  | { move: 'access'; allowed: boolean }
  | { move: 'confirmed'; outcome: CommandConfirmation['outcome'] }
  | { move: 'not-started' }
  | { move: 'pass'; ms: number };

export const presences: fc.Arbitrary<Presence> = fc.constantFrom('up', 'recently-lost', 'down');

/** Keeps the literal type. */
const named = <Name extends string>(name: Name): fc.Arbitrary<Name> => fc.constant(name);

export const placeMoves: fc.Arbitrary<PlaceMove[]> = fc.array(
  fc.oneof<fc.WeightedArbitrary<PlaceMove>[]>(
    { weight: 3, arbitrary: fc.record({ move: named('recorded') }) },
    { weight: 1, arbitrary: fc.record({ move: named('record-failed') }) },
    { weight: 3, arbitrary: fc.record({ move: named('link-up') }) },
    { weight: 1, arbitrary: fc.record({ move: named('link-lost') }) },
    { weight: 2, arbitrary: fc.record({ move: named('access'), allowed: fc.constantFrom(true, true, false) }) },
    {
      weight: 2,
      arbitrary: fc.record({
        move: named('confirmed'),
        outcome: fc.constantFrom('executed', 'already-set', 'refused', 'unproven', 'expired'),
      }),
    },
    { weight: 1, arbitrary: fc.record({ move: named('not-started') }) },
    {
      weight: 3,
      arbitrary: fc.record({
        move: named('pass'),
        ms: fc.constantFrom(1, 200, 499, 700, 3_000, EXECUTION_DEADLINE_MS, RESPONSE_DEADLINE_MS),
      }),
    },
  ),
  { maxLength: 25, size: 'max' },
);
