/**
 * The audit, read by what the server's documents say of it ("Audit") and by nothing of the server's own: a fault of its
 * reader would else be one of its judge.
 */
import { createHash } from 'node:crypto';
import { openSqlite } from '@relaygate/server/storage/sqlite/sqlite';

/** A row of `audit_log`. */
export interface ChainRow {
  id: number;
  writer: number;
  seq: number;
  kind: string;
  atMs: number;
  body: string;
  hash: string;
}

/** A row of `audit_writers`. */
interface WriterRow {
  writer: number;
  name: string;
  seq: number;
  hash: string;
}

const REGISTRY = 0;
const BEFORE_THE_FIRST = '0'.repeat(64);
/** Of a restore whose record does not say how far. */
const OLD_JUMP = 1_000_000;

interface Body {
  product?: number;
  command?: string;
  actor?: string;
  details?: Record<string, string | number | boolean | null>;
}

/** What is wrong with the chains of these rows, which are all that there are, a sentence each. */
export function chainProblems(rows: readonly ChainRow[]): string[] {
  return readChains(rows).problems;
}

function readChains(rows: readonly ChainRow[]): {
  problems: string[];
  ends: Map<number, { seq: number; hash: string }>;
} {
  const problems: string[] = [];
  const ends = new Map([[REGISTRY, { seq: 0, hash: BEFORE_THE_FIRST }]]);
  const names = new Map<string, number>();
  const inOrder = rows.toSorted((one, other) => one.id - other.id);
  let lastId = 0;
  for (const { id, writer, seq, kind, atMs, body, hash } of inOrder) {
    const say = (what: string): void => void problems.push(`record ${id} (${writer} ${seq}): ${what}`);
    const { details = {} } = JSON.parse(body) as Body;
    const end = ends.get(writer);
    if (id !== lastId + Number(ID_JUMPS.has(kind) ? (details.ids ?? 1) : 1)) say(`it follows ${lastId}`);
    lastId = id;
    if (!end) say('no record has added its writer');
    else if (seq !== end.seq + (JUMPS.has(kind) ? Number(details.by ?? OLD_JUMP) : 1)) say(`it follows ${end.seq}`);
    const said = [end?.hash, writer, seq, kind, atMs, body].join('\n');
    if (end && createHash('sha256').update(said).digest('hex') !== hash) say('it was changed, or follows another');
    ends.set(writer, { seq, hash });
    if (kind === 'writer-added') {
      const { writer: added, name, after } = details;
      if (writer !== REGISTRY || added !== seq || names.has(String(name))) say('it adds a writer that cannot be');
      names.set(String(name), Number(added));
      ends.set(Number(added), { seq: Number(after), hash });
    }
    if (kind === 'checkpoint') {
      const held = String(details.heads).split(' ').toSorted();
      const numbers = new Map([...names, ['@writers', REGISTRY] as const]);
      const known = [...numbers].map(([name, number]) => {
        const { seq: lastSeq, hash: lastHash } = number === writer && end ? end : (ends.get(number) ?? BEGUN);
        return `${name}:${lastSeq}:${lastHash}`;
      });
      if (held.join(' ') !== known.toSorted().join(' ')) say('its heads are not those of the chains before it');
    }
  }
  return { problems, ends };
}

/** A chain of a database that was restored or copied goes on further away with one of these. */
const JUMPS = new Set(['database-restored', 'database-copied']);
/** So do the ids of its records. */
const ID_JUMPS = new Set([...JUMPS, 'writer-added', 'audit-begun']);

const BEGUN = { seq: 0, hash: '' };

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

/** The audit of a server's database that has none of the first format. */
export function writtenAudit(databaseFile: string): WrittenAudit {
  const db = openSqlite(databaseFile, { readonly: true });
  try {
    const rows = db
      .prepare('SELECT id, writer, seq, kind, at_ms AS atMs, body, hash FROM audit_log ORDER BY id')
      .all() as ChainRow[];
    const writers = db.prepare('SELECT writer, name, seq, hash FROM audit_writers').all() as WriterRow[];
    const { problems, ends } = readChains(rows);
    const strayed = writers.filter(({ writer, seq, hash }) => {
      const end = ends.get(writer);
      return end?.seq !== seq || end.hash !== hash;
    });
    const old = db.prepare<[], { n: number }>('SELECT count(*) AS n FROM audit_records').get()?.n ?? 0;
    const logins = namesIn(db, 'SELECT product_id AS id, product_login AS name FROM products');
    const people = namesIn(db, 'SELECT name_id AS id, name FROM audit_names');
    return {
      problems: [
        ...problems,
        ...strayed.map(({ name, seq }) => `${name} was written to ${seq} last`),
        ...(old > 0 ? [`${old} records are of the first format`] : []),
      ],
      texts: rows.map(({ kind, body }) => textOf(kind, JSON.parse(body), { logins, people })),
    };
  } finally {
    db.close();
  }
}

type Names = ReadonlyMap<string | number, string | null>;

function namesIn(db: ReturnType<typeof openSqlite>, statement: string): Names {
  return new Map(
    db
      .prepare<[], { id: string | number; name: string | null }>(statement)
      .all()
      .map(({ id, name }) => [id, name]),
  );
}

function textOf(
  kind: string,
  { product, command, actor, details }: Body,
  { logins, people }: Record<'logins' | 'people', Names>,
): AuditText {
  const person = actor === undefined ? undefined : (people.get(actor) ?? '?');
  return {
    kind,
    ...(product === undefined ? {} : { productLogin: logins.get(product) ?? '?' }),
    ...(command === undefined ? {} : { commandId: command }),
    details: { ...details, ...(person === undefined ? {} : { actor: person }) },
  };
}
