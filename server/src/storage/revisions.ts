import type { Revision, Transaction } from './sql';

interface WriterRow {
  writer: number;
  revision: number;
}

/** The numbers that one writer gives to the rows that it changes. Read and written once a transaction. */
export class Revisions {
  readonly #sql: Transaction;
  readonly #name: string;
  #row: WriterRow | undefined;
  #hasGiven = false;

  constructor(sql: Transaction, writerName: string) {
    this.#sql = sql;
    this.#name = writerName;
  }

  /** What this transaction has given so far. */
  get position(): WriterRow | undefined {
    return this.#row;
  }

  /** After a part of a transaction was undone: `position` is that of its beginning, undefined if all was undone. */
  returnTo(position: WriterRow | undefined): void {
    this.#row = position;
    if (!position) this.#hasGiven = false;
  }

  /** On the way of the begin of a transaction. */
  async readAhead(): Promise<void> {
    this.#row = await this.#sql.get<WriterRow>(READ, this.#name);
  }

  async next(rows = 1): Promise<Revision> {
    if (!this.#row) {
      // Programs share a name: until the end of the transaction, no other one reads what this one is about to keep.
      await this.#sql.lock(`revisions of ${this.#name}`);
      this.#row = (await this.#sql.get<WriterRow>(READ, this.#name)) ?? (await this.#add());
    }
    this.#hasGiven = true;
    const { writer, revision } = this.#row;
    this.#row = { writer, revision: revision + rows };
    return [writer, revision + 1];
  }

  /** Before the commit. The next transaction reads it again, because another program may have given numbers meanwhile. */
  async keep(): Promise<void> {
    const last = this.#hasGiven ? this.#row : undefined;
    this.#row = undefined;
    this.#hasGiven = false;
    if (last) await this.#sql.send(KEEP, last.revision, last.writer);
  }

  async #add(): Promise<WriterRow> {
    await this.#sql.lock('revision writers');
    const row = await this.#sql.get<WriterRow>(ADD, this.#name);
    if (!row) throw new Error('the writer has no row');
    return row;
  }
}

const READ = 'SELECT writer, revision FROM revision_writers WHERE name = $1';
/** A new one begins where nobody has been: before a restore another may have had its number. */
const ADD = `INSERT INTO revision_writers (writer, name, revision)
  SELECT MAX(writer) + 1, $1, MAX(revision) FROM revision_writers RETURNING writer, revision`;
const KEEP = 'UPDATE revision_writers SET revision = $1 WHERE writer = $2';
