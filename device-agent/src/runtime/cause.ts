/** A word for programs with its values, as it goes from program to program; the reader's side makes a sentence of it. */
export interface Reason {
  code: string;
  values: object;
  /** In English, for a reader who has no sentence for the code. */
  text?: string;
}

/**
 * Why something failed, to stand within a sentence. A text is the system's own, or comes from a program of another version.
 */
export type Cause = Reason | string;

export function isSameCause(one: Cause | null, other: Cause | null): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}
