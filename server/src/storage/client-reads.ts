import type { Database } from 'better-sqlite3';
import type { ClientKeyRecord, ClientSummary, NamedClient } from '../clients/client-store';
import type { ReadHandlers } from './storage-write';

/** Booleans come as 0 and 1. */
type Row<T> = Omit<T, 'active'> & { active: 0 | 1 };

export function clientReads(
  db: Database,
): Pick<ReadHandlers, 'listClients' | 'findClient' | 'isKeyActive' | 'findClientKey'> {
  const find = clientFinder(db);
  const list = db.prepare<[string, number], Row<ClientSummary>>(
    `SELECT client_id AS clientId, name, key_id AS keyId, active, created_at_ms AS createdAtMs,
       (SELECT COUNT(*) FROM associations WHERE associations.client_id = clients.client_id) AS products,
       (SELECT MAX(works_until_ms) FROM rotated_client_keys
         WHERE rotated_client_keys.client_id = clients.client_id) AS oldKeyUntilMs
     FROM clients WHERE name > ? ORDER BY name LIMIT ?`,
  );
  const current = db.prepare<[string], { active: 0 | 1; keyId: string }>(
    'SELECT active, key_id AS keyId FROM clients WHERE client_id = ?',
  );
  const rotated = db.prepare<[string, string, number], { one: 1 }>(
    'SELECT 1 AS one FROM rotated_client_keys WHERE key_id = ? AND client_id = ? AND works_until_ms > ?',
  );
  const key = db.prepare<[string, string, number], Row<ClientKeyRecord>>(
    `SELECT client_id AS clientId, key_hash AS keyHash, active FROM clients WHERE key_id = ?
     UNION ALL
     SELECT client_id, rotated_client_keys.key_hash, active FROM rotated_client_keys JOIN clients USING (client_id)
     WHERE rotated_client_keys.key_id = ? AND works_until_ms > ?`,
  );

  return {
    listClients: (afterName, limit) => list.all(afterName, limit).map((row) => ({ ...row, active: row.active === 1 })),
    isKeyActive({ clientId, keyId }, atMs) {
      const client = current.get(clientId);
      if (client?.active !== 1) return false;
      return client.keyId === keyId || rotated.get(keyId, clientId, atMs) !== undefined;
    },
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
