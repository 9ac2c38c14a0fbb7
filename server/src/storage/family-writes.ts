import { MAX_FAMILIES_PER_CLIENT, REFRESH_IDLE_MS } from '@relaygate/shared';
import type { Database } from 'better-sqlite3';
import type { AppendAudit } from './audit-chain';
import type { WriteHandlers } from './storage-write';

interface RemovedFamily {
  familyId: string;
  revoked: 0 | 1;
  rotatedAtMs: number;
}

export function familyWrites(
  db: Database,
  audit: AppendAudit,
): Pick<WriteHandlers, 'createFamily' | 'rotateFamily' | 'revokeFamily'> {
  const countOf = db.prepare<[string], { count: number }>(
    'SELECT COUNT(*) AS count FROM refresh_families WHERE client_id = ?',
  );
  const removeLeastUsed = db.prepare<[string, number], RemovedFamily>(
    `DELETE FROM refresh_families WHERE family_id IN (
       SELECT family_id FROM refresh_families WHERE client_id = ? ORDER BY revoked DESC, rotated_at_ms LIMIT ?
     ) RETURNING family_id AS familyId, revoked, rotated_at_ms AS rotatedAtMs`,
  );
  const insert = db.prepare(
    `INSERT INTO refresh_families (family_id, client_id, key_id, generation, token_hash, rotated_at_ms, revoked)
     VALUES (?, ?, ?, ?, ?, ?, ?)`,
  );
  const rotate = db.prepare(
    `UPDATE refresh_families SET generation = generation + 1, token_hash = ?, rotated_at_ms = ?
     WHERE family_id = ? AND generation = ? AND revoked = 0`,
  );
  const revoke = db.prepare<[string], { clientId: string }>(
    `UPDATE refresh_families SET revoked = 1 WHERE family_id = ? AND revoked = 0
     RETURNING client_id AS clientId`,
  );

  /** For one more. Who could still use what gives way has to log in anew, and the audit says why. */
  function makeRoom(clientId: string, atMs: number): void {
    const excess = (countOf.get(clientId)?.count ?? 0) + 1 - MAX_FAMILIES_PER_CLIENT;
    if (excess <= 0) return;
    for (const { familyId, revoked, rotatedAtMs } of removeLeastUsed.all(clientId, excess)) {
      if (revoked || atMs - rotatedAtMs > REFRESH_IDLE_MS) continue;
      audit({ kind: 'refresh-family-ended', atMs, clientId, details: { familyId, unusedSinceMs: rotatedAtMs } });
    }
  }

  return {
    createFamily({ familyId, clientId, keyId, generation, tokenHash, rotatedAtMs, revoked }) {
      makeRoom(clientId, rotatedAtMs);
      insert.run(familyId, clientId, keyId, generation, tokenHash, rotatedAtMs, Number(revoked));
    },

    rotateFamily(familyId, fromGeneration, tokenHash, atMs) {
      return rotate.run(tokenHash, atMs, familyId, fromGeneration).changes > 0;
    },

    revokeFamily(familyId, atMs) {
      const revoked = revoke.get(familyId);
      if (revoked) {
        audit({ kind: 'refresh-family-revoked', atMs, clientId: revoked.clientId, details: { familyId } });
      }
    },
  };
}
