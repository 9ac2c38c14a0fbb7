import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isoTime, RelaygateError } from '@relaygate/shared';
import { membersOf } from '../audit/json-members';
import { messageOf } from '../foreign-error';
import { giveToOwnerOf } from './data-folder';
import { removeIfPossible, writeDurably } from './durable-file';

/** It holds no secret. */
const FILE_MODE = 0o644;

/** Says that the data went to PostgreSQL: `relaygate.db` beside it is old. */
function migratedFile(dataDir: string): string {
  return join(dataDir, 'storage-migrated.json');
}

/** `to`: the database, for people. Fails with `folder-not-writable`. */
export function keepMigrated(dataDir: string, { atMs, to }: { atMs: number; to: string }): void {
  const file = migratedFile(dataDir);
  try {
    writeDurably(file, `${JSON.stringify({ at: isoTime(atMs), to }, undefined, 2)}\n`, FILE_MODE);
    giveToOwnerOf(dataDir, file);
  } catch (cause) {
    throw new RelaygateError('folder-not-writable', `${file} cannot be written: ${messageOf(cause)}.`, { cause });
  }
}

/** When a migration did not end. */
export function forgetMigrated(dataDir: string): void {
  removeIfPossible(migratedFile(dataDir));
}

/**
 * Before the database of the data folder is used: what is written there would be missing in PostgreSQL, and devices and applications
 * would find an older state. Fails with `migrated-away`.
 */
export function refuseMigrated(dataDir: string): void {
  const file = migratedFile(dataDir);
  if (!existsSync(file)) return;
  const { at = 'an unknown time', to = 'PostgreSQL' } = membersOf(readFileSync(file, 'utf8'));
  const text = `The data of ${dataDir} was migrated to ${to} at ${at}: set RELAYGATE_DATABASE_URL. Whoever wants relaygate.db again, as it was then, removes ${file}.`;
  throw new RelaygateError('migrated-away', text);
}
