import { statSync } from 'node:fs';
import { openSqlite } from '@relaygate/server/storage/sqlite/sqlite';

interface Measured {
  /** Of the audit, and refresh families. */
  readonly rows: Readonly<Record<string, { count: number; bodyBytes: number }>>;
  /** Of the database, once its write-ahead log is copied back. */
  readonly databaseBytes: number;
}

/** What a server's database has grown by since this was made, seen beside the server. */
export class DatabaseGrowth {
  readonly #file: string;
  readonly #before: Measured;

  constructor(file: string) {
    this.#file = file;
    this.#before = measured(file);
  }

  /** By rows of these kinds; `refresh-family` is a kind too. */
  of(...kinds: readonly string[]): { count: number; bodyBytes: number; databaseBytes: number } {
    const { rows, databaseBytes } = measured(this.#file);
    const sum = { count: 0, bodyBytes: 0, databaseBytes: databaseBytes - this.#before.databaseBytes };
    for (const kind of kinds) {
      sum.count += (rows[kind]?.count ?? 0) - (this.#before.rows[kind]?.count ?? 0);
      sum.bodyBytes += (rows[kind]?.bodyBytes ?? 0) - (this.#before.rows[kind]?.bodyBytes ?? 0);
    }
    return sum;
  }

  /** Of the write-ahead log, which never shrinks while the server runs: the most that it has ever had. */
  get logBytes(): number {
    return statSync(`${this.#file}-wal`).size;
  }
}

function measured(file: string): Measured {
  const db = openSqlite(file, { timeout: 5_000 });
  try {
    db.pragma('wal_checkpoint(PASSIVE)');
    const found = db
      .prepare<[], { kind: string; count: number; bodyBytes: number }>(
        `SELECT kind, count(*) AS count, sum(length(CAST(body AS BLOB))) AS bodyBytes FROM audit_log GROUP BY kind
         UNION ALL SELECT 'refresh-family', count(*), 0 FROM refresh_families`,
      )
      .all();
    const rows = Object.fromEntries(found.map(({ kind, ...row }) => [kind, row]));
    return { rows, databaseBytes: statSync(file).size };
  } finally {
    db.close();
  }
}
