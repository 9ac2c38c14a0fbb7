import type { Files } from '../files/files';
import { type Corruption, loadFile } from '../files/loaded-file';
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
  const { value: journal, corruption } = await loadFile(files, path, (text) => {
    const read = readJournal(text, bootId, nowMs);
    return read.kind === 'corrupt' ? null : read;
  });
  if (corruption) return { memory: new JournalMemory(bootId, false), isOfThisBoot: true, corruption };
  if (journal?.kind === 'read') return { memory: journal.memory, isOfThisBoot: true, corruption };
  return { memory: new JournalMemory(bootId, !mayHaveRun), isOfThisBoot: false, corruption };
}
