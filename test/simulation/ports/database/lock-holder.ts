import { openSqlite } from '@relaygate/server/storage/sqlite/sqlite';
import type { Connection } from './faulty-connection';

/** Another process that holds the database's lock. */
export class LockHolder {
  #db: Connection | null = null;

  lock(file: string): void {
    this.#db = openSqlite(file, { timeout: 0 });
    this.#db.exec('BEGIN IMMEDIATE');
  }

  release(): void {
    this.#db?.close();
    this.#db = null;
  }

  /** The operator's commands come in between. */
  async without<Result>(file: string, run: () => Promise<Result>): Promise<Result> {
    if (!this.#db) return run();
    this.release();
    try {
      return await run();
    } finally {
      this.lock(file);
    }
  }
}
