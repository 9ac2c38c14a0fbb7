import { Socket } from 'node:net';
import { type Cancel, type Clock, RelaygateError } from '@relaygate/shared';
import type { Client, QueryArrayResult } from 'pg';
import { messageOf } from '../../foreign-error';
import type { SqlValue } from '../sql';
import { asDatabaseError, endsSession, unavailable } from './database-error';
import { type Backend, type DatabaseIdentity, type Found, lookedAt } from './database-identity';
import { clientOf } from './driver-client';

/** How long one statement of work that is not the server's daily one may take: a copy, new numbers for all products. */
export const LONG_STATEMENT_MS = 300_000;
/** As SILENCE_MS, for such work. */
export const LONG_SILENCE_MS = LONG_STATEMENT_MS + 5_000;
/** A connection that is asked and answers nothing for this time is given up: its server is frozen, or the network is gone. */
export const SILENCE_MS = 3_500;
const WATCH_MS = 100;
/** How long a statement waits for others behind one that is not answered yet. */
const GATHER_MS = 2;

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
  #found: Found = { identity: { system: '', database: '', timeline: '' }, backend: { pid: 0, startedAt: '' } };

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
      session.#found = await lookedAt((text) => session.ask(text));
      return session;
    } catch (error) {
      session.kill('the connection could not be opened');
      throw error instanceof RelaygateError ? error : asConnectionError(error);
    }
  }

  get identity(): DatabaseIdentity {
    return this.#found.identity;
  }

  get backend(): Backend {
    return this.#found.backend;
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
