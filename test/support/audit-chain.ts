/**
 * The audit, read by what the server's README says of it ("Audit") and by nothing of the server's own: a fault of its
 * reader would else be one of its judge.
 */
import { createHash } from 'node:crypto';
import { openSqlite } from '@relaygate/server/storage/sqlite/sqlite';

/** A row of `audit_records`. */
export interface ChainRow {
  id: number;
  writer: string;
  seq: number;
  body: string;
  previousHash: string;
  hash: string;
}

const BEFORE_THE_FIRST = '0'.repeat(64);

/** What is wrong with the chains of these rows, which are all that there are, a sentence each. */
export function chainProblems(rows: readonly ChainRow[]): string[] {
  const problems: string[] = [];
  const ends = new Map<string, { seq: number; hash: string }>();
  const inOrder = rows.toSorted((one, other) => one.id - other.id);
  for (const [n, { id, writer, seq, body, previousHash, hash }] of inOrder.entries()) {
    const say = (what: string): void => void problems.push(`record ${id} (${writer} ${seq}): ${what}`);
    const end = ends.get(writer) ?? { seq: 0, hash: BEFORE_THE_FIRST };
    if (id !== n + 1) say(`it is the ${n + 1}th`);
    if (seq !== end.seq + 1) say(`it follows ${end.seq}`);
    if (previousHash !== end.hash) say('it was made after another record');
    if (createHash('sha256').update(`${previousHash}\n${body}`).digest('hex') !== hash) say('its text was changed');
    const said = JSON.parse(body) as { writer?: unknown; seq?: unknown };
    if (said.writer !== writer || said.seq !== seq) say('its text is that of another place');
    ends.set(writer, { seq, hash });
  }
  return problems;
}

/** What a record says happened. */
export interface AuditText {
  kind: string;
  productLogin?: string;
  commandId?: string;
  details?: Record<string, string | number | boolean | null>;
}

export interface WrittenAudit {
  /** What is wrong with its chains, and with where the database says that each was written last. */
  problems: string[];
  /** In the order in which they were written. */
  texts: AuditText[];
}

/** The audit of a server's database. */
export function writtenAudit(databaseFile: string): WrittenAudit {
  const db = openSqlite(databaseFile, { readonly: true });
  try {
    const rows = db
      .prepare('SELECT id, writer, seq, body, previous_hash AS previousHash, hash FROM audit_records ORDER BY id')
      .all() as ChainRow[];
    const heads = db.prepare('SELECT writer, seq, hash FROM audit_heads').all() as Omit<ChainRow, 'id'>[];
    const ends = new Map(rows.toSorted((one, other) => one.seq - other.seq).map((row) => [row.writer, row]));
    const strayed = heads.filter(({ writer, seq, hash }) => {
      const end = ends.get(writer);
      return end?.seq !== seq || end.hash !== hash;
    });
    return {
      problems: [...chainProblems(rows), ...strayed.map(({ writer, seq }) => `${writer} was written to ${seq} last`)],
      texts: rows.map(({ body }) => JSON.parse(body)),
    };
  } finally {
    db.close();
  }
}
