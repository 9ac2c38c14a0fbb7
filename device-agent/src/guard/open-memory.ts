import type { Files } from '../files/files';
import { problemOf } from '../program/problem';
import { type Corruption, corruptionOf } from './corruption';
import { JournalMemory, readJournal } from './journal-memory';

export interface OpenedMemory {
  memory: JournalMemory;
  /** A guard has written it in this boot, or may have. */
  isOfThisBoot: boolean;
  /** What was wrong with the file, and where it lies now; null: nothing. */
  corruption: Corruption | null;
}

/**
 * The journal of this boot; never fails, for a relay may wait to be switched off (I4). `mayHaveRun`: a guard may have
 * run in this boot before, hence a journal that is not there may have been lost, and nothing may be called "never
 * started".
 */
export async function openMemory(
  files: Files,
  path: string,
  bootId: string,
  mayHaveRun: boolean,
  nowMs: number,
): Promise<OpenedMemory> {
  const corrupt = async (problem: string | null): Promise<OpenedMemory> => ({
    memory: new JournalMemory(bootId, false),
    isOfThisBoot: true,
    corruption: await corruptionOf(files, path, problem),
  });
  let text: string | null;
  try {
    text = await files.read(path);
  } catch (error) {
    return corrupt(problemOf(error));
  }
  const fresh = { memory: new JournalMemory(bootId, !mayHaveRun), isOfThisBoot: false, corruption: null };
  if (text === null) return fresh;
  const journal = readJournal(text, bootId, nowMs);
  switch (journal.kind) {
    case 'read':
      return { memory: journal.memory, isOfThisBoot: true, corruption: null };
    case 'other-boot':
      return fresh;
    case 'corrupt':
      return corrupt(null);
    default:
      return journal satisfies never;
  }
}
