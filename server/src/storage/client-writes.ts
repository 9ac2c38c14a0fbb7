import { RelaygateError } from '@relaygate/shared';
import type { Database } from 'better-sqlite3';
import type { AppendAudit } from './audit-chain';
import { clientFinder } from './client-reads';
import type { WriteHandlers } from './storage-write';

export function clientWrites(
  db: Database,
  audit: AppendAudit,
): Pick<WriteHandlers, 'createClient' | 'setClientActive' | 'rotateClientKey'> {
  const insert = db.prepare(
    `INSERT INTO clients (client_id, name, key_id, key_hash, active, created_at_ms)
     VALUES (@clientId, @name, @keyId, @keyHash, 1, @createdAtMs) ON CONFLICT (name) DO NOTHING`,
  );
  const find = clientFinder(db);
  const setActive = db.prepare('UPDATE clients SET active = ? WHERE client_id = ? AND active <> ?');
  const endOldKeys = db.prepare(
    'UPDATE rotated_client_keys SET works_until_ms = MIN(works_until_ms, ?) WHERE client_id = ?',
  );
  const keepOldKey = db.prepare<[number, string], { keyId: string }>(
    `INSERT INTO rotated_client_keys (key_id, client_id, key_hash, works_until_ms)
     SELECT key_id, client_id, key_hash, ? FROM clients WHERE client_id = ? RETURNING key_id AS keyId`,
  );
  const forgetDeadKeys = db.prepare('DELETE FROM rotated_client_keys WHERE client_id = ? AND works_until_ms <= ?');
  const setKey = db.prepare('UPDATE clients SET key_id = ?, key_hash = ? WHERE client_id = ?');
  const revokeFamilies = db.prepare('UPDATE refresh_families SET revoked = 1 WHERE client_id = ? AND revoked = 0');

  return {
    createClient(client) {
      if (insert.run(client).changes === 0) {
        throw new RelaygateError('already-exists', `There is a client named ${client.name} already.`);
      }
      const { clientId, name, keyId, createdAtMs } = client;
      audit({ kind: 'client-created', atMs: createdAtMs, clientId, details: { name, keyId } });
    },

    setClientActive(idOrName, active, atMs) {
      const client = find(idOrName);
      if (!client) return false;
      if (setActive.run(Number(active), client.clientId, Number(active)).changes > 0) {
        const kind = active ? 'client-activated' : 'client-deactivated';
        audit({ kind, atMs, clientId: client.clientId, details: { name: client.name } });
      }
      return true;
    },

    rotateClientKey(idOrName, { keyId, keyHash, oldKeyUntilMs, atMs }) {
      const client = find(idOrName);
      if (!client) return undefined;
      const { clientId, name } = client;
      endOldKeys.run(oldKeyUntilMs, clientId);
      const oldKeyId = keepOldKey.get(oldKeyUntilMs, clientId)?.keyId ?? null;
      forgetDeadKeys.run(clientId, atMs);
      setKey.run(keyId, keyHash, clientId);
      // Whoever held a key that is dead at once may hold refresh tokens that it was exchanged for.
      if (oldKeyUntilMs <= atMs) revokeFamilies.run(clientId);
      audit({ kind: 'client-key-rotated', atMs, clientId, details: { name, keyId, oldKeyId, oldKeyUntilMs } });
      return client;
    },
  };
}
