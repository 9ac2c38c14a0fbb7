import { type AuditEntry, type ChainHead, nextRecord } from '../audit/audit-record';
import type { Transaction } from './sql';

/** Appends to the chain of one writer, inside the transaction of the write that the entry is about. */
export class AuditTrail {
  readonly #sql: Transaction;
  readonly #writer: string;
  readonly #actor: string | undefined;
  readonly #keepsHeads: boolean;
  #head: ChainHead | undefined;

  /** `actor`: whom its entries name, if a person's command makes them. `keepsHeads`: false for the older database of a backup. */
  constructor(sql: Transaction, writer: string, actor: string | undefined, keepsHeads: boolean) {
    this.#sql = sql;
    this.#writer = writer;
    this.#actor = actor;
    this.#keepsHeads = keepsHeads;
  }

  async append(entry: AuditEntry): Promise<void> {
    const last = this.#head ?? (await this.#readHead());
    const named = this.#actor === undefined ? entry : { ...entry, actor: this.#actor };
    const { seq, body, previousHash, hash } = nextRecord(this.#writer, last, named);
    await this.#sql.run(INSERT, this.#writer, seq, entry.kind, entry.commandId ?? null, body, previousHash, hash);
    if (this.#keepsHeads) await this.#sql.run(KEEP_HEAD, this.#writer, seq, hash);
    this.#head = { seq, hash };
  }

  /**
   * At the start of each transaction, and if a part of one was undone: another process may have appended to the same
   * chain since, so the head is read again, under a lock.
   */
  forgetHead(): void {
    this.#head = undefined;
  }

  async #readHead(): Promise<ChainHead | undefined> {
    await this.#sql.lock(`audit of ${this.#writer}`);
    return this.#sql.get<ChainHead>(READ_HEAD, this.#writer);
  }
}

const READ_HEAD = 'SELECT seq, hash FROM audit_records WHERE writer = $1 ORDER BY seq DESC LIMIT 1';
const INSERT = `INSERT INTO audit_records (writer, seq, kind, command_id, body, previous_hash, hash)
  VALUES ($1, $2, $3, $4, $5, $6, $7)`;
const KEEP_HEAD = `INSERT INTO audit_heads (writer, seq, hash) VALUES ($1, $2, $3)
  ON CONFLICT (writer) DO UPDATE SET seq = excluded.seq, hash = excluded.hash`;
