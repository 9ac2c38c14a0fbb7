import type { Revision } from './handler';
import type { Sql } from './sql';

interface WriterRow {
  writer: number;
  revision: number;
}

/** The numbers that one writer gives to the rows that it changes. Read and written once a transaction. */
export class Revisions {
  readonly #sql: Sql;
  readonly #name: string;
  #row: WriterRow | undefined;

  constructor(sql: Sql, writerName: string) {
    this.#sql = sql;
    this.#name = writerName;
  }

  /** What this transaction has given so far. */
  get position(): WriterRow | undefined {
    return this.#row;
  }

  /**
   * If a part of a transaction was undone: the position of before. Undefined at its begin, because another program may have
   * given numbers since the last one.
   */
  returnTo(position: WriterRow | undefined): void {
    this.#row = position;
  }

  async next(rows = 1): Promise<Revision> {
    const last =
      this.#row ??
      (await this.#sql.get<WriterRow>(READ, this.#name)) ??
      (await this.#sql.get<WriterRow>(ADD, this.#name));
    if (!last) throw new Error('the writer has no row');
    const { writer, revision } = last;
    this.#row = { writer, revision: revision + rows };
    return [writer, revision + 1];
  }

  /** Before the commit. */
  async keep(): Promise<void> {
    const last = this.#row;
    if (last) await this.#sql.run(KEEP, last.revision, last.writer);
  }
}

const READ = 'SELECT writer, revision FROM revision_writers WHERE name = $1';
/** A new one begins where nobody has been: before a restore another may have had its number. */
const ADD = `INSERT INTO revision_writers (writer, name, revision)
  SELECT MAX(writer) + 1, $1, MAX(revision) FROM revision_writers RETURNING writer, revision`;
const KEEP = 'UPDATE revision_writers SET revision = $1 WHERE writer = $2';
