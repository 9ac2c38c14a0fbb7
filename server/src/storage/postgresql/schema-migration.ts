import { RelaygateError } from '@relaygate/shared';
import { ADVISORY, LOCKS } from './locks';
import { STEPS } from './schema';
import type { Session } from './session';

/** Another program may be making the schema at this moment. */
const SCHEMA_LOCK_MS = 10_000;
/** A table that is there while a SQLite database is being copied into this one (`copies/migrate-storage.ts`). */
export const MIGRATION_MARK = 'storage_migration';

export interface PrepareOptions {
  steps?: readonly string[];
  /** Fails instead of making tables in an empty database. */
  mustExist?: boolean;
  /** Before an older database is migrated, which does not happen if it rejects. */
  beforeMigration?: () => Promise<void>;
  /** Inside the transaction that makes the tables of an empty database, when they are there. */
  made?: () => Promise<void>;
  /** Gets a sentence when a migration begins. */
  progress?: ((text: string) => void) | undefined;
}

/**
 * Brings the database up to this program: an empty one gets the tables, an older one is migrated, in one transaction. Any number of
 * programs may do this at once. Fails, with nothing changed, with `database-too-new`, `database-unusable`, `migration-unfinished`, or
 * as `beforeMigration` does.
 */
export async function prepareDatabase(session: Session, options: PrepareOptions = {}): Promise<void> {
  const { steps = STEPS } = options;
  if ((await versionOf(session, steps.length)) === steps.length) return;
  await session.patiently(async () => {
    try {
      await session.script(`BEGIN; SET LOCAL lock_timeout = ${SCHEMA_LOCK_MS}; SET LOCAL statement_timeout = 0`);
      await session.ask(`SELECT ${ADVISORY.transaction}`, LOCKS.schema);
      await migrate(session, steps, options);
      await session.ask('COMMIT');
    } catch (error) {
      await session.ask('ROLLBACK').catch(() => {});
      throw error;
    }
  });
}

async function migrate(
  session: Session,
  steps: readonly string[],
  { mustExist = false, beforeMigration, made, progress = () => {} }: PrepareOptions,
): Promise<void> {
  const from = await versionOf(session, steps.length);
  if (from === steps.length) return;
  if (from === 0 && mustExist) {
    const text = 'The database is empty; set RELAYGATE_DATABASE_URL to that of the server, or start the server first.';
    throw new RelaygateError('database-unusable', text);
  }
  if (from > 0) {
    await beforeMigration?.();
    progress(`bringing the database from version ${from} to ${steps.length}; stopping it undoes the migration`);
  }
  for (const step of steps.slice(from)) await session.script(step);
  await session.ask('UPDATE installation SET version = $1', [steps.length]);
  if (from === 0) await made?.();
}

/** 0: empty. */
async function versionOf(session: Session, known: number): Promise<number> {
  const [tables, hasOurs, isHalf] = (await session.ask(TABLES)).rows[0] ?? [];
  if (isHalf === 1) throw new RelaygateError('migration-unfinished', HALF_COPIED);
  if (hasOurs === 0) {
    if (tables === 0) return 0;
    throw new RelaygateError(
      'database-unusable',
      'The database has tables of another program; make one for Relaygate alone.',
    );
  }
  const version = Number((await session.ask('SELECT version FROM installation')).rows[0]?.[0]);
  if (version <= known) return version;
  const text = `The database was written by a newer version of this program (database version ${version}, this program knows ${known}); update the program.`;
  throw new RelaygateError('database-too-new', text);
}

const HALF_COPIED =
  'A SQLite database is being copied into this database, and that is not finished: run "relaygate-server migrate-storage" again.';

const TABLES = `SELECT COUNT(*) AS tables, COUNT(*) FILTER (WHERE relname = 'installation') AS ours,
    COUNT(*) FILTER (WHERE relname = '${MIGRATION_MARK}') AS half
  FROM pg_class WHERE relnamespace = current_schema()::regnamespace AND relkind IN ('r', 'p', 'v', 'm', 'f')`;
