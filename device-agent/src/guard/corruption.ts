import type { Files } from '../files/files';
import { type Quarantined, quarantineIfPossible } from '../files/quarantine';
import { type Fault, fault } from '../words/faults/fault';

/** Why a file of the guard's could not be used, and where it lies now. */
export interface Corruption {
  /** Why it could not be read; null: it could, and means nothing. */
  problem: string | null;
  kept: Quarantined;
}

/** Never rejects. */
export async function corruptionOf(files: Files, path: string, problem: string | null): Promise<Corruption> {
  return { problem, kept: await quarantineIfPossible(files, path) };
}

export function unusable(file: string, { problem, kept }: Corruption): Fault {
  return problem === null
    ? fault('file-corrupt', { file, ...kept })
    : fault('file-unreadable', { file, problem, ...kept });
}
