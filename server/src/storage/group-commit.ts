import { type ErrorCode, RelaygateError } from '@relaygate/shared';
import type { Database } from 'better-sqlite3';
import { asStorageError, isBusy, isTroubleOfDatabase } from './sqlite-errors';
import type { StorageWrite, WriteHandlers, WriteName, WriteResults } from './storage-write';
import { runWrite } from './write-handlers';

/** Plain data: it crosses threads. */
export interface WriteRequest {
  id: number;
  write: StorageWrite;
  /** On CLOCK_MONOTONIC, which all threads share: a write that has not begun by then is refused. */
  deadlineMs: number;
}

export type WriteAnswer =
  | { id: number; ok: true; value: unknown }
  | { id: number; ok: false; code: ErrorCode; message: string };

export interface CommittedGroup {
  answers: WriteAnswer[];
  /** Not begun, because somebody else holds the lock: to be tried again, before anything newer. */
  left: WriteRequest[];
}

/**
 * How long one try for the lock blocks its thread. Short, so that a write's deadline is kept while another process
 * holds the lock, and writes that come meanwhile join the next try.
 */
export const LOCK_TRY_MS = 50;

/**
 * Commits many writes with one fsync, in their order. Each has a savepoint, so a write that fails costs only itself;
 * trouble of the database costs the whole group. Answers are given after the commit only (I8).
 */
export class GroupCommit {
  readonly #db: Database;
  readonly #handlers: WriteHandlers;
  readonly #nowMs: () => number;
  readonly #sql;

  /** `db`: its busy timeout should be LOCK_TRY_MS. */
  constructor(db: Database, handlers: WriteHandlers, nowMs: () => number) {
    this.#db = db;
    this.#handlers = handlers;
    this.#nowMs = nowMs;
    this.#sql = {
      begin: db.prepare('BEGIN IMMEDIATE'),
      commit: db.prepare('COMMIT'),
      rollback: db.prepare('ROLLBACK'),
      savepoint: db.prepare('SAVEPOINT one_write'),
      release: db.prepare('RELEASE one_write'),
      undo: db.prepare('ROLLBACK TO one_write'),
    };
  }

  run(requests: readonly WriteRequest[]): CommittedGroup {
    const nowMs = this.#nowMs();
    const due = requests.filter(({ deadlineMs }) => nowMs < deadlineMs);
    const late = requests.filter(({ deadlineMs }) => nowMs >= deadlineMs).map(({ id }) => refusal(id, tooLate()));
    if (due.length === 0) return { answers: late, left: [] };
    try {
      this.#sql.begin.run();
    } catch (error) {
      if (isBusy(error)) return { answers: late, left: due };
      return { answers: [...late, ...due.map(({ id }) => refusal(id, error))], left: [] };
    }
    return { answers: [...late, ...this.#commit(due)], left: [] };
  }

  #commit(due: readonly WriteRequest[]): WriteAnswer[] {
    try {
      const answers = due.map((request) => this.#runOne(request));
      this.#sql.commit.run();
      return answers;
    } catch (error) {
      // SQLite has rolled back by itself already where it had to.
      if (this.#db.inTransaction) this.#sql.rollback.run();
      return due.map(({ id }) => refusal(id, error));
    }
  }

  #runOne({ id, write }: WriteRequest): WriteAnswer {
    this.#sql.savepoint.run();
    try {
      const value = runWrite(this.#handlers, write);
      this.#sql.release.run();
      return { id, ok: true, value };
    } catch (error) {
      if (isTroubleOfDatabase(error) || !this.#db.inTransaction) throw error;
      this.#sql.undo.run();
      this.#sql.release.run();
      return refusal(id, error);
    }
  }
}

/** What the handler of this write returned; throws where it was refused. */
export function resultOf<Name extends WriteName>(answer: WriteAnswer): WriteResults[Name] {
  if (!answer.ok) throw new RelaygateError(answer.code, answer.message);
  // The types of writes and results are paired in WriteHandlers; an answer that crossed threads has lost its own.
  return answer.value as WriteResults[Name];
}

function refusal(id: number, error: unknown): WriteAnswer {
  const { code, message } = asStorageError(error);
  return { id, ok: false, code, message };
}

function tooLate(): RelaygateError {
  return new RelaygateError('storage-unavailable', 'The database is locked or too slow; nothing was changed.');
}
