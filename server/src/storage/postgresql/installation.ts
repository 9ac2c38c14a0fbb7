import { type Clock, pause, type Randomness, RelaygateError } from '@relaygate/shared';
import { unavailable } from './database-error';
import { ADVISORY, HOLDERS, LOCKS } from './locks';
import { STEPS } from './schema';
import type { Backend, DatabaseIdentity, Session } from './session';

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

/** The lock of a server that has died is free when PostgreSQL has noticed it. */
const SERVER_LOCK_MS = 2_000;
const TRY_AGAIN_MS = 50;

/**
 * Makes the session that of the only server of the database, or of one of several that share it. A session-level lock keeps others
 * out, and goes with the session that also writes: so whoever writes as the server has the lock. Fails with `already-running`.
 */
export async function becomeServer(session: Session, clock: Clock, isShared: boolean): Promise<void> {
  const giveUpMs = clock.nowMs() + SERVER_LOCK_MS;
  while (!(await takeServerLock(session, isShared))) {
    if (clock.nowMs() >= giveUpMs) {
      const holder = await serverName(session);
      const text = `Another server${holder} uses the database already; stop it first. One server at a time may use a database, or several that all have RELAYGATE_NATS_URL.`;
      throw new RelaygateError('already-running', text);
    }
    await pause(clock, TRY_AGAIN_MS);
  }
}

async function takeServerLock(session: Session, isShared: boolean): Promise<boolean> {
  const taken = isShared ? ADVISORY.triedShared : ADVISORY.tried;
  return (await session.ask(`SELECT ${taken}`, LOCKS.server)).rows[0]?.[0] === 1;
}

async function serverName(session: Session): Promise<string> {
  const name = String((await session.ask(HOLDERS, LOCKS.server)).rows[0]?.[1] ?? '');
  return name === '' ? '' : ` (${name})`;
}

/** True if a server has the database. */
export async function hasServer(session: Session): Promise<boolean> {
  return (await session.ask(HOLDERS, LOCKS.server)).rows.length > 0;
}

/** Which run of a server has the database. Kept in it, so that it is noticed if another one had it meanwhile. */
export class ServerRun {
  readonly #id: string;
  readonly #isShared: boolean;
  #identity: DatabaseIdentity | undefined;
  #last: Backend | undefined;

  /** `isShared`: other servers use the database too, and their leases say who has what. */
  constructor(randomness: Randomness, isShared: boolean) {
    this.#isShared = isShared;
    this.#id = Buffer.from(randomness.bytes(16)).toString('hex');
  }

  /** For the first session, whose lock is taken and whose tables are made. */
  async begin(session: Session): Promise<void> {
    await session.ask('UPDATE installation SET holder = $1', [this.#id]);
    this.#identity = session.identity;
    this.#last = session.backend;
  }

  /**
   * For a session after the first was lost. Ends the lost one's process, if it has not noticed. True: a standby has become the
   * database since, so that what was written last may be missing; a server that shares the database goes on then, after
   * `afterFailover`. Fails with `storage-unavailable` while another server has the database, or had it, or if it is another
   * database: only a new start puts that right.
   */
  async goOn(session: Session, afterFailover: () => Promise<void>): Promise<boolean> {
    const { pid = 0, startedAt = '' } = this.#last ?? {};
    await session.ask(END_BACKEND, [pid, startedAt]);
    const isFailover = !isSame(session.identity, this.#identity);
    if (isFailover) this.#refuseOther(session.identity);
    if (!(await takeServerLock(session, this.#isShared)))
      throw unavailable(`is used by another server${await serverName(session)}`);
    const holder = (await session.ask('SELECT holder FROM installation')).rows[0]?.[0];
    if (holder !== this.#id && !this.#isShared)
      throw unavailable('was used by another server meanwhile: restart the server');
    if (isFailover) await afterFailover();
    this.#identity = session.identity;
    this.#last = session.backend;
    return isFailover;
  }

  /** For sessions that read: one may find the database of before a failover. */
  refuseOlder({ timeline }: DatabaseIdentity): void {
    if (this.#identity && timeline < this.#identity.timeline) throw unavailable('is that of before a failover');
  }

  #refuseOther(identity: DatabaseIdentity): void {
    this.refuseOlder(identity);
    const before = this.#identity;
    const isStandby = identity.system === before?.system && identity.database === before.database;
    if (!this.#isShared || !isStandby)
      throw unavailable('is another one than before, or was failed over: restart the server');
  }
}

function isSame(one: DatabaseIdentity, other: DatabaseIdentity | undefined): boolean {
  return one.system === other?.system && one.database === other.database && one.timeline === other.timeline;
}

const END_BACKEND = `SELECT pg_terminate_backend(pid)::text FROM pg_stat_activity
  WHERE pid = $1::int AND backend_start::text = $2`;
