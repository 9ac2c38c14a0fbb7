import type { Cause } from '../runtime/cause';
import { causeOf } from '../runtime/problem';
import type { Files } from './files';

/** Where a file is that cannot be used. */
export type Quarantined = {
  /** Where it lies now; empty: where it was. */
  keptAs: string;
  /** Why it could not be moved. */
  keepProblem: Cause;
};

/** Quarantines a file that cannot be used. Never rejects: a card may be read-only. */
export async function quarantineIfPossible(files: Files, path: string): Promise<Quarantined> {
  try {
    return { keptAs: await files.quarantine(path), keepProblem: '' };
  } catch (error) {
    return { keptAs: '', keepProblem: causeOf(error) };
  }
}
