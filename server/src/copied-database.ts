import { systemClock, systemRandomness, systemWallClock } from '@relaygate/shared/system';
import { SEPARATED, type SeparateDeps, separateCopy } from './copies/separate-copy';
import { separateDatabase } from './copies/separate-database';
import type { Session } from './storage/postgresql/session';

/**
 * `separateCopy` with the clocks and the randomness of this machine, for the server and for operator's commands. `notify` gets a
 * sentence for people if the database is elsewhere than before.
 */
export async function separateIfCopied(
  file: string,
  program: Pick<SeparateDeps, 'writerName' | 'actor' | 'isServerRunning'>,
  notify: (text: string) => void,
): Promise<void> {
  const machine = { atMs: systemWallClock.epochMs(), clock: systemClock, randomness: systemRandomness };
  if (await separateCopy(file, { ...program, ...machine })) notify(SEPARATED);
}

/** The same for a PostgreSQL database. */
export async function separateIfElsewhere(
  session: Session,
  program: Pick<SeparateDeps, 'writerName' | 'actor'>,
  notify: (text: string) => void,
): Promise<void> {
  const machine = { atMs: systemWallClock.epochMs(), clock: systemClock, randomness: systemRandomness };
  if (await separateDatabase(session, { ...program, ...machine })) notify(SEPARATED);
}
