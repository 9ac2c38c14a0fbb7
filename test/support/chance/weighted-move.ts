import fc from 'fast-check';

/** One kind of move in a generated game: how often it comes beside the others, its name, and what goes with it. */
export function weightedMove<const Name extends string, Fields extends object>(
  weight: number,
  name: Name,
  fields: { [Field in keyof Fields]: fc.Arbitrary<Fields[Field]> },
): fc.WeightedArbitrary<Fields & { move: Name }> {
  return { weight, arbitrary: fc.record(fields).map((values) => ({ ...values, move: name })) };
}

/** A move that is only a name. */
export function plainMove<const Name extends string>(weight: number, name: Name): fc.WeightedArbitrary<{ move: Name }> {
  return { weight, arbitrary: fc.constant({ move: name }) };
}
