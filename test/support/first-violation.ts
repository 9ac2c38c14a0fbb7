import fc from 'fast-check';

/** Many enough for every mutant of ours, and always the same ones: a mutant is caught in each run or in none. */
const ROUNDS = { numRuns: 10_000, seed: 1, endOnFailure: true };

/** What the first failing case of a property says; empty when none of its rounds fails. */
export function firstViolation<T>(property: fc.IProperty<T>): string {
  return messageOf(fc.check(property, ROUNDS));
}

export async function firstViolationLater<T>(property: fc.IAsyncProperty<T>): Promise<string> {
  return messageOf(await fc.check(property, ROUNDS));
}

function messageOf({ failed, errorInstance }: { failed: boolean; errorInstance: unknown }): string {
  return failed ? String(errorInstance) : '';
}
