import { openSqlite } from '@relaygate/server/storage/sqlite/sqlite';

export interface LoggedCommand {
  commandId: string;
  productLogin: string;
  /** The latest; `pending` while there is none. */
  outcome: string;
}

export interface CommandFilter {
  /** Only what was recorded after this record; see `lastRecordIn`. */
  after?: number;
  productLogin?: string;
}

/** Every command that a server's database holds, with its latest outcome, oldest first. Read beside the server. */
export function commandsIn(
  databaseFile: string,
  { after = 0, productLogin = '%' }: CommandFilter = {},
): LoggedCommand[] {
  const rows = reading(databaseFile, (db) =>
    db
      .prepare<[number, string], LoggedCommand & { kind: string }>(
        `SELECT kind, command_id AS commandId, json_extract(body, '$.productLogin') AS productLogin,
           json_extract(body, '$.details.outcome') AS outcome
         FROM audit_records WHERE kind IN ('command', 'outcome') AND id > ? AND productLogin LIKE ? ORDER BY id`,
      )
      .all(after, productLogin),
  );
  const commands = new Map<string, LoggedCommand>();
  for (const { kind, ...row } of rows) {
    // The outcome of an earlier command may be written after it was answered.
    if (kind === 'command' || commands.has(row.commandId)) commands.set(row.commandId, row);
  }
  return [...commands.values()];
}

/** An entry of a device's history, as its server has it. */
export interface ToldEntry {
  historyId: string;
  seq: number;
  kind: string;
}

/** All that the audit holds of that device, in the order of its records. */
export function toldEntriesIn(databaseFile: string, productLogin: string): ToldEntry[] {
  return reading(databaseFile, (db) =>
    db
      .prepare<[string], ToldEntry>(
        `SELECT json_extract(body, '$.details.historyId') AS historyId, json_extract(body, '$.details.deviceSeq') AS seq,
           json_extract(body, '$.details.did') AS kind
         FROM audit_records WHERE kind = 'device-history' AND json_extract(body, '$.productLogin') = ? ORDER BY id`,
      )
      .all(productLogin),
  );
}

/** Its number; 0 when there is none yet. */
export function lastRecordIn(databaseFile: string): number {
  return reading(databaseFile, (db) => {
    const row = db.prepare<[], { id: number | null }>('SELECT max(id) AS id FROM audit_records').get();
    return row?.id ?? 0;
  });
}

function reading<T>(databaseFile: string, read: (db: ReturnType<typeof openSqlite>) => T): T {
  const db = openSqlite(databaseFile, { readonly: true, timeout: 5_000 });
  try {
    return read(db);
  } finally {
    db.close();
  }
}
