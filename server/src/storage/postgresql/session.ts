import { createRequire } from 'node:module';
import { Socket } from 'node:net';
import { type Cancel, type Clock, RelaygateError } from '@relaygate/shared';
import type * as Driver from 'pg';
import type { Client, QueryArrayResult } from 'pg';
import { messageOf } from '../../foreign-error';
import type { SqlValue } from '../sql';
import { asDatabaseError, endsSession, unavailable } from './database-error';

/** How long the server may work on one statement. Shorter than SILENCE_MS, so that the server's own error comes first. */
export const STATEMENT_MS = 3_000;
/** How long one statement of work that is not the server's daily one may take: a copy, new numbers for all products. */
export const LONG_STATEMENT_MS = 300_000;
/** As SILENCE_MS, for such work. */
export const LONG_SILENCE_MS = LONG_STATEMENT_MS + 5_000;
/** A connection that is asked and answers nothing for this time is given up: its server is frozen, or the network is gone. */
export const SILENCE_MS = 3_500;
const WATCH_MS = 100;
/** How long a statement waits for others behind one that is not answered yet. */
const GATHER_MS = 2;
/**
 * How long a statement waits for a lock. PostgreSQL serves those who wait in their order, and whoever gives up and asks again stands
 * behind all others; but a write that waits so is refused that much too late.
 */
const TURN_MS = 250;
const CONNECT_MS = 2_000;
/** If this process is frozen inside a transaction, the server ends it then: all nodes wait for its lock, a record for a second. */
const IDLE_IN_TRANSACTION_MS = 800;
const KEEPALIVE_AFTER_MS = 10_000;
/** PostgreSQL 13. */
const FIRST_VERSION = 130_000;

/** One connection of the driver, to a database that takes writes. */
export interface SessionOptions {
  /** RELAYGATE_DATABASE_URL. A secret. */
  url: string;
  /** As `pg_stat_activity` shows it. */
  name: string;
  clock: Clock;
  /** True: while the server is at work, statements wait until it answers, for GATHER_MS at most, so that many travel together. */
  gathers?: boolean;
}

/** Which database it is: another one, a restored one and one that was failed over differ. */
export interface DatabaseIdentity {
  system: string;
  database: string;
  timeline: string;
}

/** The server's process of one connection. */
export interface Backend {
  pid: number;
  startedAt: string;
}

export interface Answer {
  members: readonly string[];
  rows: SqlValue[][];
  count: number;
  /** `COMMIT`, `ROLLBACK` and the like. */
  command: string;
}

/**
 * One connection to PostgreSQL, until it is lost. Statements are answered in their order, and none waits for the answers before it, or
 * GATHER_MS at most. Each is answered exactly once, at the latest SILENCE_MS after the server's last word.
 */
export class Session {
  readonly #client: Client;
  readonly #socket: Socket;
  readonly #clock: Clock;
  readonly #gathers: boolean;
  readonly #names = new Map<string, string>();
  readonly #atLoss: (() => void)[] = [];
  #gathering: 'none' | 'until-answered' | 'this-turn' = 'none';
  #cancelGathering: Cancel = () => {};
  #unanswered = 0;
  #heardMs = 0;
  #silenceMs = SILENCE_MS;
  #cancelWatch: Cancel | undefined;
  #lost: RelaygateError | undefined;
  #identity: DatabaseIdentity = { system: '', database: '', timeline: '' };
  #backend: Backend = { pid: 0, startedAt: '' };

  private constructor({ url, name, clock, gathers = false }: SessionOptions) {
    this.#clock = clock;
    this.#gathers = gathers;
    this.#socket = new Socket();
    this.#client = clientOf(url, name, this.#socket);
    // Without listeners, an error of the connection would end the process.
    this.#client.on('error', (error) => this.#lose(asConnectionError(error)));
    this.#client.on('end', () => this.#lose(unavailable('has ended the connection')));
  }

  /** Fails with `bad-setting` if the URL is none, with `database-unusable` if the server is too old, else with `storage-unavailable`. */
  static async open(options: SessionOptions): Promise<Session> {
    const session = new Session(options);
    try {
      await session.#client.connect();
      await session.#prepare();
      return session;
    } catch (error) {
      session.kill('the connection could not be opened');
      throw error instanceof RelaygateError ? error : asConnectionError(error);
    }
  }

  get identity(): DatabaseIdentity {
    return this.#identity;
  }

  get backend(): Backend {
    return this.#backend;
  }

  get unanswered(): number {
    return this.#unanswered;
  }

  /** How long it has answered nothing while it was asked. */
  get silentMs(): number {
    return this.#unanswered === 0 ? 0 : this.#clock.nowMs() - this.#heardMs;
  }

  get isLost(): boolean {
    return this.#lost !== undefined;
  }

  /** Runs once, when the connection is lost or closed; at once if it is. */
  onLoss(run: () => void): void {
    if (this.#lost) run();
    else this.#atLoss.push(run);
  }

  /** Rejects as `asDatabaseError` says. Each text is prepared once, so there must be as many as texts in the program. */
  async ask(text: string, values: readonly SqlValue[] = []): Promise<Answer> {
    if (this.#lost) throw this.#lost;
    const query = { text, values: [...values], rowMode: 'array' as const };
    this.#begin();
    this.#gather();
    try {
      const result = await this.#client.query<SqlValue[]>(
        isPlain(text) ? query : { ...query, name: this.#nameOf(text) },
      );
      return answerOf(result);
    } catch (error) {
      throw this.#failed(error);
    } finally {
      this.#end();
    }
  }

  /** Statements without parameters, one after the other. */
  async script(text: string): Promise<void> {
    if (this.#lost) throw this.#lost;
    this.#begin();
    try {
      await this.#client.query(text);
    } catch (error) {
      throw this.#failed(error);
    } finally {
      this.#end();
    }
  }

  /** Work that may take the server long: until it ends, a server that is silent for at most `silenceMs` counts as busy. */
  async patiently<Result>(work: () => Promise<Result>, silenceMs = Number.POSITIVE_INFINITY): Promise<Result> {
    const beforeMs = this.#silenceMs;
    this.#silenceMs = silenceMs;
    try {
      return await work();
    } finally {
      this.#silenceMs = beforeMs;
      this.#heardMs = this.#clock.nowMs();
    }
  }

  /** The server notices it and undoes what is not committed. */
  kill(why: string): void {
    this.#socket.destroy();
    this.#lose(unavailable(`is not reached: ${why}`));
  }

  /** Waits for what is asked. */
  async close(): Promise<void> {
    if (this.#lost) return;
    const cancel = this.#clock.after(SILENCE_MS, () => this.kill('it did not answer at the end'));
    await this.#client.end().catch(() => {});
    cancel();
    this.#lose(unavailable('is closed'));
  }

  async #prepare(): Promise<void> {
    const { rows } = await this.ask(GREETING);
    const [recovery, readOnly, encoding, version, system, database, timeline, pid, startedAt] = (rows[0] ?? []).map(
      String,
    );
    if (Number(version) < FIRST_VERSION) {
      throw new RelaygateError('database-unusable', 'The PostgreSQL server is older than version 13; update it.');
    }
    if (encoding !== 'UTF8') {
      const text = `The database has the encoding ${encoding}; make one with UTF8: CREATE DATABASE ... ENCODING 'UTF8' TEMPLATE template0.`;
      throw new RelaygateError('database-unusable', text);
    }
    if (recovery === '1') throw unavailable('is a standby, which takes no writes');
    if (readOnly === '1') throw unavailable('is read-only');
    this.#identity = { system: system ?? '', database: database ?? '', timeline: timeline ?? '' };
    this.#backend = { pid: Number(pid), startedAt: startedAt ?? '' };
  }

  #nameOf(text: string): string {
    const known = this.#names.get(text);
    if (known !== undefined) return known;
    const name = `s${this.#names.size}`;
    this.#names.set(text, name);
    return name;
  }

  #begin(): void {
    if (this.#unanswered === 0) this.#heardMs = this.#clock.nowMs();
    this.#unanswered += 1;
    if (!this.#cancelWatch) this.#watch(SILENCE_MS);
  }

  /**
   * One system call sends all statements of a turn of the event loop. With `gathers` and while the server is at work: all that come until
   * its next answer.
   */
  #gather(): void {
    if (this.#gathering !== 'none') return;
    this.#client.connection.stream.cork();
    if (this.#unanswered === 1 || !this.#gathers) return this.#sendBehindTurn();
    this.#gathering = 'until-answered';
    this.#cancelGathering = this.#clock.after(GATHER_MS, () => this.#sendBehindTurn());
  }

  #sendBehindTurn(): void {
    this.#gathering = 'this-turn';
    this.#cancelGathering();
    setImmediate(() => {
      this.#gathering = 'none';
      this.#client.connection.stream.uncork();
    });
  }

  #end(): void {
    this.#unanswered -= 1;
    this.#heardMs = this.#clock.nowMs();
    if (this.#gathering === 'until-answered') this.#sendBehindTurn();
  }

  #watch(inMs: number): void {
    this.#cancelWatch = this.#clock.after(inMs, () => {
      this.#cancelWatch = undefined;
      if (this.#lost || this.#unanswered === 0) return;
      const silentMs = this.#clock.nowMs() - this.#heardMs;
      if (silentMs >= this.#silenceMs) this.kill('it does not answer');
      else this.#watch(Math.max(SILENCE_MS - silentMs, WATCH_MS));
    });
  }

  #failed(error: unknown): unknown {
    const failure = this.#lost ?? asDatabaseError(error);
    if (endsSession(error)) this.kill(messageOf(error));
    return failure;
  }

  #lose(why: RelaygateError): void {
    if (this.#lost) return;
    this.#lost = why;
    this.#cancelWatch?.();
    for (const run of this.#atLoss.splice(0)) run();
  }
}

/** Where it is, without the secret parts of the URL. Fails with `bad-setting`. */
export function shownDatabase(url: string): string {
  const { host, port, database } = clientOf(url, '', new Socket());
  return `PostgreSQL at ${host}:${port}, database ${database}`;
}

/** Fails with `bad-setting`. The cause is not kept: it may show the URL. */
function clientOf(url: string, name: string, socket: Socket): Client {
  // Loaded here: who has no PostgreSQL needs none of it.
  const driver: typeof Driver = createRequire(__filename)('pg');
  let client: Client;
  try {
    client = new driver.Client({
      connectionString: url,
      pipeline: true,
      application_name: name,
      connectionTimeoutMillis: CONNECT_MS,
      statement_timeout: STATEMENT_MS,
      lock_timeout: TURN_MS,
      idle_in_transaction_session_timeout: IDLE_IN_TRANSACTION_MS,
      keepAlive: true,
      keepAliveInitialDelayMillis: KEEPALIVE_AFTER_MS,
      stream: () => socket,
      types: { getTypeParser: (oid: number) => (NUMBERS.has(oid) ? Number : String) },
    });
  } catch {
    const text =
      'RELAYGATE_DATABASE_URL cannot be used; it may be postgresql://USER:PASSWORD@HOST:PORT/DATABASE, and files that it names must be readable.';
    throw new RelaygateError('bad-setting', text);
  }
  if (!client.ssl && !isOnThisMachine(client.host) && !SAYS_TLS.test(url) && process.env.PGSSLMODE === undefined) {
    const text =
      'RELAYGATE_DATABASE_URL names another machine: end it with ?sslmode=verify-full, or with ?sslmode=disable where nobody else reaches the network between.';
    throw new RelaygateError('bad-setting', text);
  }
  return client;
}

const SAYS_TLS = /[?&](sslmode|ssl)=/;

/** A socket's folder, or a loopback address. */
function isOnThisMachine(host: string): boolean {
  return host.startsWith('/') || host === 'localhost' || host === '::1' || host.startsWith('127.');
}

/** int8, int2, int4, numeric: all that are stored are safe integers. */
const NUMBERS = new Set([20, 21, 23, 1700]);

/** What may go without parameters and is not worth a prepared statement. */
function isPlain(text: string): boolean {
  return !text.includes('$') && /^(BEGIN|COMMIT|ROLLBACK|SAVEPOINT|RELEASE|SET)\b/.test(text);
}

function answerOf({ fields, rows, rowCount, command }: QueryArrayResult<SqlValue[]>): Answer {
  return { members: fields.map(({ name }) => camelCase(name)), rows, count: rowCount ?? 0, command };
}

const MEMBERS = new Map<string, string>();

function camelCase(column: string): string {
  const known = MEMBERS.get(column);
  if (known !== undefined) return known;
  const member = column.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase());
  MEMBERS.set(column, member);
  return member;
}

function asConnectionError(error: unknown): RelaygateError {
  return unavailable(`is not reached: ${messageOf(error)}`, error);
}

/**
 * What must be known of the database before it is used. Each statement sees what was committed before it: the fence of commands relies
 * on that (`RECORD_OF_NODE`). A stronger `synchronous_commit` than `on` stays. The timeline goes up when a standby is promoted, and
 * with a recovery to a point in time. If this machine loses its power, the server notices it in 25 s.
 */
const GREETING = `SELECT CASE WHEN pg_is_in_recovery() THEN 1 ELSE 0 END AS recovery,
    CASE WHEN current_setting('transaction_read_only') = 'on' THEN 1 ELSE 0 END AS read_only,
    current_setting('server_encoding') AS encoding,
    current_setting('server_version_num') AS version,
    (SELECT system_identifier FROM pg_control_system()) AS system,
    (SELECT oid FROM pg_database WHERE datname = current_database()) AS database,
    CASE WHEN pg_is_in_recovery() THEN '' ELSE substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8) END AS timeline,
    pg_backend_pid() AS pid,
    (SELECT backend_start::text FROM pg_stat_activity WHERE pid = pg_backend_pid()) AS started_at,
    CASE WHEN current_setting('synchronous_commit') = 'remote_apply' THEN ''
      ELSE set_config('synchronous_commit', 'on', false) END AS synchronous,
    set_config('client_encoding', 'UTF8', false) AS client_encoding,
    set_config('default_transaction_isolation', 'read committed', false) AS isolation,
    set_config('tcp_keepalives_idle', '10', false), set_config('tcp_keepalives_interval', '5', false),
    set_config('tcp_keepalives_count', '3', false), set_config('tcp_user_timeout', '25000', false)`;
