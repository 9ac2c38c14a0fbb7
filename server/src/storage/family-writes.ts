import { MAX_FAMILIES_PER_CLIENT } from '@relaygate/shared';
import type { Database } from 'better-sqlite3';
import type { AppendAudit } from './audit-chain';
import type { WriteHandlers } from './storage-write';

export function familyWrites(
  db: Database,
  audit: AppendAudit,
): Pick<WriteHandlers, 'createFamily' | 'rotateFamily' | 'revokeFamily'> {
  // Keeps one place less than the most a client may have, for the new family.
  const makeRoom = db.prepare(
    `DELETE FROM refresh_families WHERE family_id IN (
       SELECT family_id FROM refresh_families WHERE client_id = ?
       ORDER BY rotated_at_ms DESC LIMIT 1000000 OFFSET ${MAX_FAMILIES_PER_CLIENT - 1}
     )`,
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

  return {
    createFamily({ familyId, clientId, keyId, generation, tokenHash, rotatedAtMs, revoked }) {
      makeRoom.run(clientId);
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
