import type { Database } from 'better-sqlite3';
import type { ClientKeyRecord, ClientSummary, NamedClient } from '../clients/client-store';
import type { ReadHandlers } from './storage-write';

/** Booleans come as 0 and 1. */
type Row<T> = Omit<T, 'active'> & { active: 0 | 1 };

export function clientReads(
  db: Database,
): Pick<ReadHandlers, 'listClients' | 'findClient' | 'isClientActive' | 'findClientKey'> {
  const find = clientFinder(db);
  const list = db.prepare<[string, number], Row<ClientSummary>>(
    `SELECT client_id AS clientId, name, key_id AS keyId, active, created_at_ms AS createdAtMs,
       (SELECT COUNT(*) FROM associations WHERE associations.client_id = clients.client_id) AS products,
       (SELECT MAX(works_until_ms) FROM rotated_client_keys
         WHERE rotated_client_keys.client_id = clients.client_id) AS oldKeyUntilMs
     FROM clients WHERE name > ? ORDER BY name LIMIT ?`,
  );
  const active = db.prepare<[string], { active: 0 | 1 }>('SELECT active FROM clients WHERE client_id = ?');
  const key = db.prepare<[string, string, number], Row<ClientKeyRecord>>(
    `SELECT client_id AS clientId, key_hash AS keyHash, active FROM clients WHERE key_id = ?
     UNION ALL
     SELECT client_id, rotated_client_keys.key_hash, active FROM rotated_client_keys JOIN clients USING (client_id)
     WHERE rotated_client_keys.key_id = ? AND works_until_ms > ?`,
  );

  return {
    listClients: (afterName, limit) => list.all(afterName, limit).map((row) => ({ ...row, active: row.active === 1 })),
    isClientActive: (clientId) => active.get(clientId)?.active === 1,
    findClient: find,
    findClientKey(keyId, atMs) {
      const row = key.get(keyId, keyId, atMs);
      return row && { ...row, active: row.active === 1 };
    },
  };
}

/** An id goes before a name, should someone name a client like another's id. */
export function clientFinder(db: Database): (idOrName: string) => NamedClient | undefined {
  const find = db.prepare<[string, string, string], NamedClient>(
    `SELECT client_id AS clientId, name FROM clients WHERE client_id = ? OR name = ?
     ORDER BY CASE WHEN client_id = ? THEN 0 ELSE 1 END LIMIT 1`,
  );
  return (idOrName) => find.get(idOrName, idOrName, idOrName);
}
