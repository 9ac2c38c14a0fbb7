import { type Clock, type Randomness, RelaygateError } from '@relaygate/shared';
import { AuditTrail } from '../storage/audit-trail';
import { LONG_SILENCE_MS, LONG_STATEMENT_MS, type Session } from '../storage/postgresql/session';
import { writeConnection } from '../storage/postgresql/write-session';
import { InTheWay, type Transaction, type WriteConnection } from '../storage/sql';
import { copyDistance, jump } from './jump';

export interface SeparateDatabaseDeps {
  /** It is recorded in the audit chain of this writer. */
  writerName: string;
  actor?: string | undefined;
  /** Wall time. */
  atMs: number;
  clock: Clock;
  randomness: Randomness;
}

/** Where the database was when it was used last. Null: it is new. */
interface KeptIdentity {
  system: string | null;
  database: string | null;
  timeline: string | null;
}

/** How long this waits for another program's write. */
const LOCK_WAIT_MS = 5_000;

/**
 * Raises the numbers of a PostgreSQL database that is another one than when it was last used: one that a dump was restored into, one
 * that was recovered to an earlier time, or a standby that was promoted. What was written last may be missing there, and devices and
 * listeners may know its numbers. Resolves with true if it is another one.
 */
export async function separateDatabase(session: Session, deps: SeparateDatabaseDeps): Promise<boolean> {
  const sql = writeConnection({ within: async () => session }, deps.clock);
  if (isSame(await keptIn(session), session)) return false;
  const raised = async (): Promise<boolean> => {
    await begun(sql, deps.clock);
    try {
      // Another program may have done it meanwhile.
      const kept = await keptIn(session);
      if (isSame(kept, session)) {
        await sql.rollback();
        return false;
      }
      if (kept.system !== null) await raise(sql, kept, session, deps);
      await keepIdentity(sql, session);
      await sql.commit();
      return kept.system !== null;
    } catch (error) {
      await sql.rollback();
      throw error;
    }
  };
  return session.patiently(raised, LONG_SILENCE_MS);
}

async function raise(
  sql: WriteConnection,
  kept: KeptIdentity,
  { identity }: Session,
  { writerName, actor, atMs, randomness }: SeparateDatabaseDeps,
): Promise<void> {
  const trail = new AuditTrail(sql, { writerName, actor, randomness });
  const isFailover = kept.system === identity.system && kept.database === identity.database;
  const details = { from: isFailover ? 'another timeline' : 'another database' };
  await jump(sql, trail, { kind: 'database-copied', atMs, details }, await copyDistance(sql, atMs, randomness));
  await trail.keepHead();
}

/** From now on the database counts as used here. */
export async function keepIdentity(sql: Transaction, { identity }: Session): Promise<void> {
  const { system, database, timeline } = identity;
  await sql.run(KEEP, system, database, timeline);
}

/** Begins a transaction that may take long. Fails with `storage-unavailable` if another program writes for too long. */
export async function begun(sql: WriteConnection, clock: Clock): Promise<void> {
  const giveUpMs = clock.nowMs() + LOCK_WAIT_MS;
  for (;;) {
    try {
      if (await sql.begin()) {
        await sql.run(`SET LOCAL statement_timeout = ${LONG_STATEMENT_MS}`);
        return;
      }
    } catch (error) {
      await sql.rollback();
      if (!(error instanceof InTheWay)) throw error;
    }
    if (clock.nowMs() >= giveUpMs) {
      throw new RelaygateError(
        'storage-unavailable',
        'The database is locked by another program; nothing was changed.',
      );
    }
  }
}

async function keptIn(session: Session): Promise<KeptIdentity> {
  const [system = null, database = null, timeline = null] = (await session.ask(KEPT)).rows[0] ?? [];
  return { system: textOf(system), database: textOf(database), timeline: textOf(timeline) };
}

function textOf(value: string | number | null): string | null {
  return value === null ? null : String(value);
}

function isSame({ system, database, timeline }: KeptIdentity, { identity }: Session): boolean {
  return system === identity.system && database === identity.database && timeline === identity.timeline;
}

const KEPT = 'SELECT system, database, timeline FROM installation';
const KEEP = 'UPDATE installation SET system = $1, database = $2, timeline = $3';
