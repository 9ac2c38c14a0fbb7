import { type Clock, pause, RelaygateError } from '@relaygate/shared';
import { codeOf } from '../../foreign-error';
import { InTheWay } from '../sql';
import { ADVISORY, LOCKS, OLDER_USERS, versionLock } from './locks';
import { STEPS, type Step, usableFrom } from './schema';
import type { Session } from './session';

/** Nobody else is at work. A step may take as long as it does, and waits for what holds a table, such as a vacuum that gives way. */
const ALONE = { lockMs: 10_000, statementMs: 0 };
/** Whoever wants a table waits behind the migration that waits for it, and a command has STORAGE_WRITE_TIMEOUT_MS. */
const BESIDE = { lockMs: 100, statementMs: 500 };
/** Meanwhile those who waited go on. */
const AGAIN_MS = 1_000;
/** How long a table may be in use. */
const GIVE_UP_MS = 30_000;
/** PostgreSQL has ended a statement that took too long. */
const CANCELED = '57014';
/** A table that is there while a SQLite database is being copied into this one (`copies/migrate-storage.ts`). */
export const MIGRATION_MARK = 'storage_migration';

export interface PrepareOptions {
  /** Of this program. */
  steps?: readonly Step[] | undefined;
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
 * Brings the database up to this program: an empty one gets the tables, an older one is migrated, in one transaction; a newer one is
 * left as it is, if this program can use it. Any number of programs may do this at once, also beside older ones that can go on. Fails,
 * with nothing changed, with `database-too-new`, `database-unusable`, `migration-unfinished`, with `already-running` if an older
 * program is at work that cannot go on, or as `beforeMigration` does.
 */
export async function prepareDatabase(session: Session, clock: Clock, options: PrepareOptions = {}): Promise<void> {
  const { steps = STEPS } = options;
  await holdVersion(session, steps.length);
  if ((await versionOf(session, steps.length)) >= steps.length) return;
  let hasSaid = false;
  const progress = (text: string): void => {
    if (!hasSaid) options.progress?.(text);
    hasSaid = true;
  };
  const giveUpMs = clock.nowMs() + GIVE_UP_MS;
  await session.patiently(async () => {
    while (!(await hasMigrated(session, steps, { ...options, progress }))) {
      if (clock.nowMs() >= giveUpMs) throw new RelaygateError('database-unusable', IN_USE);
      await pause(clock, AGAIN_MS);
    }
  });
}

/** From now on no migration ends this version, as long as the session lasts: so what is read of the version stays true. */
async function holdVersion(session: Session, version: number): Promise<void> {
  if (await hasTaken(session, ADVISORY.triedShared, versionLock(version))) return;
  const text = 'A newer version of this program is changing the database, which this one cannot use then; update it.';
  throw new RelaygateError('database-too-new', text);
}

/** False: somebody else holds a lock. */
async function hasMigrated(session: Session, steps: readonly Step[], options: PrepareOptions): Promise<boolean> {
  const { lockMs, statementMs } = (await olderUser(session, steps.length)) === undefined ? ALONE : BESIDE;
  try {
    await session.script(`BEGIN; SET LOCAL lock_timeout = ${lockMs}; SET LOCAL statement_timeout = ${statementMs}`);
    await session.ask(`SELECT ${ADVISORY.transaction}`, LOCKS.schema);
    // Transactions that write have locks of several tables: one that began before would wait for the migration, and it for them.
    await session.ask(`SELECT ${ADVISORY.transaction}`, LOCKS.writers);
    await migrate(session, steps, options);
    await session.ask('COMMIT');
    return true;
  } catch (error) {
    await session.ask('ROLLBACK').catch(() => {});
    if (error instanceof InTheWay) return false;
    throw error;
  }
}

async function migrate(
  session: Session,
  steps: readonly Step[],
  { mustExist = false, beforeMigration, made, progress }: PrepareOptions,
): Promise<void> {
  const from = await versionOf(session, steps.length);
  if (from >= steps.length) return;
  if (from === 0 && mustExist) {
    const text = 'The database is empty; set RELAYGATE_DATABASE_URL to that of the server, or start the server first.';
    throw new RelaygateError('database-unusable', text);
  }
  if (from > 0) {
    await beforeMigration?.();
    await endVersions(session, usableFrom(steps.slice(0, from)), usableFrom(steps));
    progress?.(`bringing the database from version ${from} to ${steps.length}; stopping it undoes the migration`);
  }
  for (const { sql } of steps.slice(from)) await makeStep(session, sql);
  await session.ask('UPDATE installation SET version = $1, usable_from = $2', [steps.length, usableFrom(steps)]);
  if (from === 0) await made?.();
}

/** Keeps programs of the versions before `end` out until the transaction ends. Fails with `already-running` while one is at work. */
async function endVersions(session: Session, begin: number, end: number): Promise<void> {
  for (let version = begin; version < end; version += 1) {
    if (await hasTaken(session, ADVISORY.triedTransaction, versionLock(version))) continue;
    const name = (await olderUser(session, end)) ?? '';
    const text = `An older server or command is at work${name && ` (${name})`}, and cannot use the database as this version needs it. Stop all that are older first; nothing was changed.`;
    throw new RelaygateError('already-running', text);
  }
}

async function makeStep(session: Session, sql: string): Promise<void> {
  try {
    await session.script(sql);
  } catch (error) {
    if (!(error instanceof RelaygateError) || codeOf(error.cause) !== CANCELED) throw error;
    const text =
      'The migration of the database takes too long to be made beside older servers, whose commands would wait for it. Stop them first; nothing was changed.';
    throw new RelaygateError('already-running', text, { cause: error });
  }
}

/** The name of a program before this version that uses the database. Undefined: there is none. */
async function olderUser(session: Session, version: number): Promise<string | undefined> {
  const [row] = (await session.ask(OLDER_USERS, versionLock(version))).rows;
  return row && String(row[1]);
}

async function hasTaken(session: Session, lock: string, key: readonly [number, number]): Promise<boolean> {
  return (await session.ask(`SELECT ${lock}`, key)).rows[0]?.[0] === 1;
}

/** 0: empty. Above `known`: a newer program has made it, and this one can use it. */
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
  const usable = Number((await session.ask('SELECT usable_from FROM installation')).rows[0]?.[0]);
  if (usable <= known) return version;
  const text = `The database was written by a newer version of this program (database version ${version}, which programs from ${usable} on can use; this one is ${known}); update the program.`;
  throw new RelaygateError('database-too-new', text);
}

const IN_USE =
  'A table of the database is in use all the time, perhaps by pg_dump or a vacuum, so the database could not be brought up to this version. Start again when that has ended; nothing was changed.';

const HALF_COPIED =
  'A SQLite database is being copied into this database, and that is not finished: run "relaygate-server migrate-storage" again.';

const TABLES = `SELECT COUNT(*) AS tables, COUNT(*) FILTER (WHERE relname = 'installation') AS ours,
    COUNT(*) FILTER (WHERE relname = '${MIGRATION_MARK}') AS half
  FROM pg_class WHERE relnamespace = current_schema()::regnamespace AND relkind IN ('r', 'p', 'v', 'm', 'f')`;
