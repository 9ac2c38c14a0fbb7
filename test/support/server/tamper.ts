import { openWriteConnection } from '@relaygate/server/storage/sqlite/database-file';

/** What somebody does who can write the database's file, and nobody with SQL alone: the triggers hold it back. */
export function tamper(file: string, ...statements: string[]): void {
  const db = openWriteConnection(file);
  const triggers = db
    .prepare<[], { name: string; sql: string }>("SELECT name, sql FROM sqlite_master WHERE type = 'trigger'")
    .all();
  for (const { name } of triggers) db.exec(`DROP TRIGGER ${name}`);
  for (const statement of statements) db.exec(statement);
  for (const { sql } of triggers) db.exec(sql);
  db.close();
}
