import type { Database } from 'better-sqlite3';
import type { RefreshFamily } from '../tokens/family-store';
import { auditReads } from './audit-reads';
import { clientReads } from './client-reads';
import { commandReads } from './command-reads';
import { productReads } from './product-reads';
import type { ReadHandlers } from './storage-write';

/** Every read over one connection, its statements prepared once. */
export function readHandlers(db: Database): ReadHandlers {
  return { ...clientReads(db), ...productReads(db), ...commandReads(db), ...familyReads(db), ...auditReads(db) };
}

function familyReads(db: Database): Pick<ReadHandlers, 'findFamily'> {
  const find = db.prepare<[string], Omit<RefreshFamily, 'revoked'> & { revoked: 0 | 1 }>(
    `SELECT family_id AS familyId, client_id AS clientId, key_id AS keyId, generation, token_hash AS tokenHash,
       rotated_at_ms AS rotatedAtMs, revoked
     FROM refresh_families WHERE family_id = ?`,
  );
  return {
    findFamily(familyId) {
      const row = find.get(familyId);
      return row && { ...row, revoked: row.revoked === 1 };
    },
  };
}
