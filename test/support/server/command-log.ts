import { openSqlite } from '@relaygate/server/storage/sqlite/sqlite';

export interface LoggedCommand {
  commandId: string;
  productLogin: string;
  /** The latest; `pending` while there is none. */
  outcome: string;
}

export interface CommandFilter {
  /** Only what was recorded after this command; see `lastCommandIn`. */
  after?: number;
  productLogin?: string;
}

/** Every command that a server's database holds, with its latest outcome, oldest first. Read beside the server. */
export function commandsIn(
  databaseFile: string,
  { after = 0, productLogin = '%' }: CommandFilter = {},
): LoggedCommand[] {
  return reading(databaseFile, (db) =>
    db
      .prepare<[number, string], LoggedCommand>(
        `SELECT command_id AS commandId, product_login AS productLogin, outcome
         FROM commands JOIN products USING (product_id) WHERE id > ? AND product_login LIKE ? ORDER BY id`,
      )
      .all(after, productLogin),
  );
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
         FROM audit_log WHERE kind = 'device-history' AND json_extract(body, '$.product') =
           (SELECT product_id FROM products WHERE product_login = ?) ORDER BY id`,
      )
      .all(productLogin),
  );
}

/** Its number; 0 when there is none yet. */
export function lastCommandIn(databaseFile: string): number {
  return reading(databaseFile, (db) => {
    const row = db.prepare<[], { id: number | null }>('SELECT max(id) AS id FROM commands').get();
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
