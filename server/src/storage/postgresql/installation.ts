import { type Clock, pause, type Randomness, RelaygateError } from '@relaygate/shared';
import { unavailable } from './database-error';
import type { Backend, DatabaseIdentity } from './database-identity';
import { ADVISORY, HOLDERS, LOCKS } from './locks';
import type { Session } from './session';

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
   * For a session after the first was lost. Ends the lost one's process, if it has not noticed, and goes on after `prepare`. True: a
   * standby has become the database since, so that what was written last may be missing; a server that shares the database goes on
   * then, after `afterFailover` too. Fails with `storage-unavailable` while another server has the database, or had it, or if it is another
   * database: only a new start puts that right.
   */
  async goOn(session: Session, prepare: () => Promise<void>, afterFailover: () => Promise<void>): Promise<boolean> {
    const { pid = 0, startedAt = '' } = this.#last ?? {};
    await session.ask(END_BACKEND, [pid, startedAt]);
    const isFailover = !isSame(session.identity, this.#identity);
    if (isFailover) this.#refuseOther(session.identity);
    if (!(await takeServerLock(session, this.#isShared)))
      throw unavailable(`is used by another server${await serverName(session)}`);
    const holder = (await session.ask('SELECT holder FROM installation')).rows[0]?.[0];
    if (holder !== this.#id && !this.#isShared)
      throw unavailable('was used by another server meanwhile: restart the server');
    await prepare();
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
