import { problemOf } from '../program/problem';
import type { Files } from './files';

/** Keeps a file aside that cannot be used, and says in words where it lies now. Never rejects: a card may be read-only. */
export async function keepAsideIfPossible(files: Files, path: string): Promise<string> {
  try {
    return `kept aside as ${await files.keepAside(path)}`;
  } catch (error) {
    return `it could not be kept aside (${problemOf(error)})`;
  }
}
