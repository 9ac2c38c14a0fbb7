import { statSync } from 'node:fs';
import { openSqlite } from '@relaygate/server/storage/sqlite/sqlite';

/** A command adds a row to each; each minute has a checkpoint of them. */
const OF_COMMANDS: readonly string[] = ['command', 'outcome', 'commands', 'checkpoint'];

interface Measured {
  /** Of the audit by kind, and of each other table. */
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

  /** By rows of these kinds; a table beside the audit is a kind too. */
  of(...kinds: readonly string[]): { count: number; bodyBytes: number; databaseBytes: number } {
    const { rows, databaseBytes } = measured(this.#file);
    const sum = { count: 0, bodyBytes: 0, databaseBytes: databaseBytes - this.#before.databaseBytes };
    for (const kind of kinds) {
      sum.count += (rows[kind]?.count ?? 0) - (this.#before.rows[kind]?.count ?? 0);
      sum.bodyBytes += (rows[kind]?.bodyBytes ?? 0) - (this.#before.rows[kind]?.bodyBytes ?? 0);
    }
    return sum;
  }

  /** What has more or fewer rows than before, of what is no command's. */
  besideCommands(): Record<string, number> {
    const { rows } = measured(this.#file);
    const kinds = Object.keys(rows).filter((kind) => !OF_COMMANDS.includes(kind));
    const grown = kinds.map(
      (kind) => [kind, (rows[kind]?.count ?? 0) - (this.#before.rows[kind]?.count ?? 0)] as const,
    );
    return Object.fromEntries(grown.filter(([, count]) => count !== 0));
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
    const tables = db
      .prepare<[], { name: string }>("SELECT name FROM sqlite_master WHERE type = 'table' AND name <> 'audit_log'")
      .all();
    const counts = tables.map(({ name }) => ` UNION ALL SELECT '${name}', count(*), 0 FROM ${name}`);
    const found = db
      .prepare<[], { kind: string; count: number; bodyBytes: number }>(
        `SELECT kind, count(*) AS count, sum(length(CAST(body AS BLOB))) AS bodyBytes FROM audit_log GROUP BY kind
         ${counts.join('')}`,
      )
      .all();
    const rows = Object.fromEntries(found.map(({ kind, ...row }) => [kind, row]));
    return { rows, databaseBytes: statSync(file).size };
  } finally {
    db.close();
  }
}
