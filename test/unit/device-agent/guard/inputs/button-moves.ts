import fc from 'fast-check';

export type ButtonMove =
  /** The wire turns over, and stays so for so long, as often as that. */
  | { move: 'wire'; forMs: number[] }
  | { move: 'pass'; ms: number }
  /**
   * The guard is held up while the wire turns over after each of these times, and `restMs` more. `edgesFirst`: it hears of
   * that before its timers.
   */
  | { move: 'stall'; forMs: number[]; restMs: number; edgesFirst: boolean }
  | { move: 'board'; awayMs: number }
  | { move: 'restart'; awayMs: number };

const bounce = fc.integer({ min: 1, max: 29 });
const press = fc.integer({ min: 30, max: 900 });
const times = fc.array(fc.oneof({ weight: 1, arbitrary: bounce }, { weight: 2, arbitrary: press }), {
  minLength: 1,
  maxLength: 6,
});

export const buttonMoves: fc.Arbitrary<ButtonMove[]> = fc.array(
  fc.oneof(
    { weight: 8, arbitrary: fc.record({ move: fc.constant('wire' as const), forMs: times }) },
    { weight: 4, arbitrary: fc.record({ move: fc.constant('pass' as const), ms: fc.integer({ min: 1, max: 2_000 }) }) },
    {
      weight: 3,
      arbitrary: fc.record({
        move: fc.constant('stall' as const),
        forMs: times,
        restMs: fc.integer({ min: 1, max: 1_500 }),
        edgesFirst: fc.boolean(),
      }),
    },
    {
      weight: 1,
      arbitrary: fc.record({ move: fc.constant('board' as const), awayMs: fc.integer({ min: 1, max: 500 }) }),
    },
    {
      weight: 1,
      arbitrary: fc.record({ move: fc.constant('restart' as const), awayMs: fc.integer({ min: 1, max: 500 }) }),
    },
  ),
  { minLength: 1, maxLength: 12 },
);
