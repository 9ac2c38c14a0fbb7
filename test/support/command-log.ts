import Sqlite from 'better-sqlite3';

export interface LoggedCommand {
  commandId: string;
  /** The latest; `pending` while there is none. */
  outcome: string;
}

/** Every command that a server's database holds, with its latest outcome, oldest first. Read beside the server. */
export function commandsIn(databaseFile: string): LoggedCommand[] {
  const db = new Sqlite(databaseFile, { readonly: true, timeout: 5_000 });
  try {
    const rows = db
      .prepare<[], { commandId: string; outcome: string }>(
        `SELECT command_id AS commandId, json_extract(body, '$.details.outcome') AS outcome
         FROM audit_records WHERE kind IN ('command', 'outcome') ORDER BY id`,
      )
      .all();
    const latest = new Map(rows.map(({ commandId, outcome }) => [commandId, outcome]));
    return [...latest].map(([commandId, outcome]) => ({ commandId, outcome }));
  } finally {
    db.close();
  }
}
