import { type ErrorCode, RelaygateError } from '@relaygate/shared';
import type { Database } from 'better-sqlite3';
import { type AuditChain, auditChain } from './audit-chain';
import { asStorageError, isBusy, isTroubleOfDatabase } from './sqlite/sqlite-errors';
import type { StorageWrite, WriteHandlers, WriteName, WriteResults } from './storage-write';
import { runWrite, writeHandlers } from './write-handlers';

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
 * Commits many writes with one fsync, in their order. A write that fails costs only itself: the group is undone and
 * done again with a savepoint for each, which the usual group, in which none fails, does without. Trouble of the
 * database costs the whole group. Answers are given after the commit only (I8).
 */
export class GroupCommit {
  readonly #db: Database;
  readonly #audit: AuditChain;
  readonly #handlers: WriteHandlers;
  readonly #nowMs: () => number;
  readonly #sql;

  /** `db`: its busy timeout should be LOCK_TRY_MS. `writerName`: whose audit chain the writes append to; `actor`: whom they name. */
  constructor(db: Database, writerName: string, nowMs: () => number, actor?: string) {
    this.#db = db;
    this.#audit = auditChain(db, writerName, actor);
    this.#handlers = writeHandlers(db, this.#audit.append, writerName);
    this.#nowMs = nowMs;
    this.#sql = {
      begin: db.prepare('BEGIN IMMEDIATE'),
      commit: db.prepare('COMMIT'),
      rollback: db.prepare('ROLLBACK'),
      savepoint: db.prepare('SAVEPOINT undoable'),
      release: db.prepare('RELEASE undoable'),
      undo: db.prepare('ROLLBACK TO undoable'),
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
    this.#audit.forgetHead();
    return { answers: [...late, ...this.#commit(due)], left: [] };
  }

  #commit(due: readonly WriteRequest[]): WriteAnswer[] {
    let isCommitting = false;
    try {
      const answers = this.#runAll(due) ?? due.map((request) => this.#runOne(request));
      isCommitting = true;
      this.#sql.commit.run();
      return answers;
    } catch (error) {
      // SQLite has rolled back by itself already where it had to.
      if (this.#db.inTransaction) this.#sql.rollback.run();
      // Of a commit that failed the disk may have everything: whoever recovers the file then finds it made.
      const why = isCommitting ? unanswered(error) : error;
      return due.map(({ id }) => refusal(id, why));
    }
  }

  /** Undefined where one of them failed: then nothing of the group is done. */
  #runAll(due: readonly WriteRequest[]): WriteAnswer[] | undefined {
    this.#sql.savepoint.run();
    try {
      const answers = due.map(({ id, write }): WriteAnswer => ({ id, ok: true, value: this.#run(write) }));
      this.#sql.release.run();
      return answers;
    } catch (error) {
      this.#undo(error);
      return undefined;
    }
  }

  #runOne({ id, write }: WriteRequest): WriteAnswer {
    this.#sql.savepoint.run();
    try {
      const value = this.#run(write);
      this.#sql.release.run();
      return { id, ok: true, value };
    } catch (error) {
      this.#undo(error);
      return refusal(id, error);
    }
  }

  #run(write: StorageWrite): unknown {
    return runWrite(this.#handlers, write);
  }

  /** Back to the savepoint; throws the error again where it is the whole group's. */
  #undo(error: unknown): void {
    if (isTroubleOfDatabase(error) || !this.#db.inTransaction) throw error;
    this.#sql.undo.run();
    this.#sql.release.run();
    this.#audit.forgetHead();
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

function unanswered(cause: unknown): RelaygateError {
  const { message } = asStorageError(cause);
  return new RelaygateError('storage-unanswered', message, { cause });
}

function tooLate(): RelaygateError {
  return new RelaygateError('storage-unavailable', 'The database is locked or too slow; nothing was changed.');
}
