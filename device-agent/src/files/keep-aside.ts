import { problemOf } from '../program/problem';
import type { Files } from './files';

/** What became of a file that cannot be used. */
export type KeptAside = {
  /** Where it lies now; empty: where it was. */
  keptAs: string;
  /** Why it could not be moved. */
  keepProblem: string;
};

/** Keeps a file aside that cannot be used. Never rejects: a card may be read-only. */
export async function keepAsideIfPossible(files: Files, path: string): Promise<KeptAside> {
  try {
    return { keptAs: await files.keepAside(path), keepProblem: '' };
  } catch (error) {
    return { keptAs: '', keepProblem: problemOf(error) };
  }
}

export function asideWords({ keptAs, keepProblem }: KeptAside): string {
  return keptAs === '' ? `it could not be kept aside (${keepProblem})` : `kept aside as ${keptAs}`;
}
