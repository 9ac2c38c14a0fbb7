import { auditRow, type ListedRecord, passes } from '../audit/audit-list';
import { type AuditEntry, type ChainHead, nextRecord } from '../audit/audit-record';
import type {
  AuditFilter,
  AuditPosition,
  AuditRow,
  AuditStore,
  AuditTotals,
  StoredAuditRecord,
} from '../audit/audit-store';
import type { ReadHandlers } from './handler';
import type { Sql, SqlValue, Transaction } from './sql';

/** How many records one statement of a list reads, before the filter. */
const PAGE = 1_000;

/** Their tables are those of the first release, so that backups of any version can be verified. */
export const auditReads = {
  readAudit: (sql, writer, afterSeq, limit) => sql.all<StoredAuditRecord>(CHAIN, writer, afterSeq, limit),

  /** From one to the next by their index: each may have millions of records. */
  async auditWriters(sql) {
    const writers: string[] = [];
    let next = await sql.get<NextWriter>(FIRST_WRITER);
    while (next && next.writer !== null) {
      writers.push(next.writer);
      next = await sql.get<NextWriter>(NEXT_WRITER, next.writer);
    }
    return writers;
  },

  async listAudit(sql, filter, position, limit) {
    const rows: AuditRow[] = [];
    for (let from = position; rows.length < limit; ) {
      const page = await scan(sql, filter.kind, from);
      rows.push(...page.map(auditRow).filter((row) => passes(row, filter)));
      const last = page.at(-1);
      if (!last || page.length < PAGE) break;
      from = { ...from, afterId: last.id };
    }
    return rows.slice(0, limit);
  },
} satisfies ReadHandlers<AuditStore>;

interface NextWriter {
  /** Null: there is none. */
  writer: string | null;
}

/** By what has an index only: one on what the bodies say would cost every command more than the audit's reader gains. */
function scan(sql: Sql, kind: AuditFilter['kind'], { afterId, newestFirst }: AuditPosition): Promise<ListedRecord[]> {
  const values: SqlValue[] = [PAGE];
  const after = afterId === null ? '' : `AND listed.id ${newestFirst ? '<' : '>'} $${values.push(afterId)}`;
  const ofKind = kind === null ? '' : `AND listed.kind = $${values.push(kind)}`;
  const statement = `SELECT id, hash, body, CASE WHEN kind = 'outcome' THEN (
      SELECT given.body FROM audit_records AS given
      WHERE given.command_id = listed.command_id AND given.kind = 'command' ORDER BY given.id LIMIT 1
    ) END AS command_body
    FROM audit_records AS listed WHERE 1 = 1 ${after} ${ofKind}
    ORDER BY id ${newestFirst ? 'DESC' : 'ASC'} LIMIT $1`;
  return sql.all<ListedRecord>(statement, ...values);
}

const CHAIN = `SELECT id, writer, seq, kind, command_id, body, previous_hash, hash
  FROM audit_records WHERE writer = $1 AND seq > $2 ORDER BY seq LIMIT $3`;
const FIRST_WRITER = 'SELECT MIN(writer) AS writer FROM audit_records';
const NEXT_WRITER = 'SELECT MIN(writer) AS writer FROM audit_records WHERE writer > $1';

/** `openCommands`: the table of commands without a known outcome, or what selects them. */
export async function totalsIn(sql: Sql, openCommands: string): Promise<AuditTotals> {
  const totals = await sql.get<AuditTotals>(`SELECT (SELECT COUNT(*) FROM audit_records) AS records,
    (SELECT COUNT(*) FROM clients) AS clients,
    (SELECT COUNT(*) FROM audit_records WHERE kind = 'client-created') AS clients_created,
    (SELECT COUNT(*) FROM products) AS products,
    (SELECT COUNT(*) FROM audit_records WHERE kind = 'product-created') AS products_created,
    (SELECT COUNT(*) FROM ${openCommands} AS unresolved WHERE NOT EXISTS (
      SELECT 1 FROM audit_records
      WHERE audit_records.command_id = unresolved.command_id AND kind = 'command'
    )) AS open_commands_without_record`);
  return totals ?? NOTHING;
}

/** A SELECT without FROM always has one row; the types do not know. */
const NOTHING: AuditTotals = {
  records: 0,
  clients: 0,
  clientsCreated: 0,
  products: 0,
  productsCreated: 0,
  openCommandsWithoutRecord: 0,
};

/** Appends to the chain of one writer, inside the transaction of the write that the entry is about. */
export class AuditTrail {
  readonly #sql: Transaction;
  readonly #writer: string;
  readonly #actor: string | undefined;
  readonly #keepsHeads: boolean;
  #lastNew: ChainHead | undefined;

  /** `actor`: whom its entries name, if a person's command makes them. `keepsHeads`: false for the older database of a backup. */
  constructor(sql: Transaction, writer: string, actor: string | undefined, keepsHeads: boolean) {
    this.#sql = sql;
    this.#writer = writer;
    this.#actor = actor;
    this.#keepsHeads = keepsHeads;
  }

  async append(entry: AuditEntry): Promise<void> {
    const last = this.#lastNew ?? (await this.#readHead());
    const named = this.#actor === undefined ? entry : { ...entry, actor: this.#actor };
    const { seq, body, previousHash, hash } = nextRecord(this.#writer, last, named);
    await this.#sql.run(INSERT, this.#writer, seq, entry.kind, entry.commandId ?? null, body, previousHash, hash);
    this.#lastNew = { seq, hash };
  }

  /**
   * Before the commit: notes which record is the last one. Once a transaction, because each note costs as much as a record.
   * Never without a new record, because the note of before shows whether the last one was removed.
   */
  async keepHead(): Promise<void> {
    if (!this.#lastNew || !this.#keepsHeads) return;
    await this.#sql.run(KEEP_HEAD, this.#writer, this.#lastNew.seq, this.#lastNew.hash);
  }

  /** The last record that this transaction has appended; undefined if none. */
  get lastNew(): ChainHead | undefined {
    return this.#lastNew;
  }

  /**
   * If a part of a transaction was undone: `lastNew` as it was before that part. Undefined at the start of each transaction:
   * another process may have appended to the same chain since, so its last record is read again, under a lock.
   */
  returnTo(lastNew: ChainHead | undefined): void {
    this.#lastNew = lastNew;
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
