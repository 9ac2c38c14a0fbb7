import type { Cause } from '../runtime/cause';
import { causeOf } from '../runtime/problem';
import type { Files } from './files';
import { type Quarantined, quarantineIfPossible } from './quarantine';

/** Why a file cannot be used, and where it lies now. */
export interface Corruption {
  /** Why it could not be read; null: it could, but makes no sense. */
  problem: Cause | null;
  kept: Quarantined;
}

/** `text` null: there is no file, or it cannot be read. `value` null: there is nothing that can be used. */
export interface LoadedFile<T> {
  text: string | null;
  value: T | null;
  corruption: Corruption | null;
}

/**
 * Reads a file; `parse` returns null for a text that makes no sense. A file that cannot be used is quarantined. Never
 * rejects.
 */
export async function loadFile<T>(
  files: Files,
  path: string,
  parse: (text: string) => T | null,
): Promise<LoadedFile<T>> {
  const unusable = async (text: string | null, problem: Cause | null): Promise<LoadedFile<T>> => ({
    text,
    value: null,
    corruption: { problem, kept: await quarantineIfPossible(files, path) },
  });
  let text: string | null;
  try {
    text = await files.read(path);
  } catch (error) {
    return unusable(null, causeOf(error));
  }
  const value = text === null ? null : parse(text);
  return text !== null && value === null ? unusable(text, null) : { text, value, corruption: null };
}
