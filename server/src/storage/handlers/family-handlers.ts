import { MAX_FAMILIES_PER_CLIENT } from '@relaygate/shared';
import { familyEnded, familyRevoked } from '../../tokens/family-entries';
import type { FamilyStore, RefreshFamily } from '../../tokens/family-store';
import type { ReadHandlers, WriteContext, WriteHandlers } from '../handler';
import type { Flag } from '../sql';

type FamilyRow = Omit<RefreshFamily, 'revoked'> & { revoked: Flag };

export const familyReads = {
  async findFamily(sql, familyId) {
    const row = await sql.get<FamilyRow>(FIND, familyId);
    return row && { ...row, revoked: row.revoked === 1 };
  },
} satisfies ReadHandlers<FamilyStore>;

export const familyWrites = {
  async createFamily(context, { familyId, clientId, keyId, generation, tokenHash, rotatedAtMs, revoked }) {
    const values = [familyId, clientId, keyId, generation, tokenHash, rotatedAtMs, Number(revoked)];
    await context.sql.lock(`refresh families of ${clientId}`);
    await context.sql.run(CREATE, ...values);
    await makeRoomFor(familyId, context, clientId, rotatedAtMs);
  },

  async rotateFamily({ sql }, familyId, fromGeneration, tokenHash, atMs) {
    return (await sql.run(ROTATE, tokenHash, atMs, familyId, fromGeneration)) > 0;
  },

  async revokeFamily({ sql, audit }, familyId, atMs) {
    const revoked = await sql.get<{ clientId: string }>(REVOKE, familyId);
    if (revoked) await audit(familyRevoked(familyId, revoked.clientId, atMs));
  },
} satisfies WriteHandlers<FamilyStore>;

/** The new family itself stays, also if the clock was set back. */
async function makeRoomFor(newId: string, { sql, audit }: WriteContext, clientId: string, atMs: number): Promise<void> {
  const { count } = (await sql.get<{ count: number }>(COUNT, clientId)) ?? { count: 0 };
  const excess = count - MAX_FAMILIES_PER_CLIENT;
  if (excess <= 0) return;
  const removed = await sql.all<Omit<FamilyRow, 'clientId'>>(REMOVE_LEAST_USED, clientId, excess, newId);
  for (const { familyId, revoked, rotatedAtMs } of removed) {
    const entry = familyEnded({ familyId, clientId, revoked: revoked === 1, rotatedAtMs }, atMs);
    if (entry) await audit(entry);
  }
}

const FIND = `SELECT family_id, client_id, key_id, generation, token_hash, rotated_at_ms, revoked
  FROM refresh_families WHERE family_id = $1`;
const COUNT = 'SELECT COUNT(*) AS count FROM refresh_families WHERE client_id = $1';
const REMOVE_LEAST_USED = `DELETE FROM refresh_families WHERE family_id IN (
    SELECT family_id FROM refresh_families WHERE client_id = $1 AND family_id <> $3
    ORDER BY revoked DESC, rotated_at_ms LIMIT $2
  ) RETURNING family_id, revoked, rotated_at_ms`;
const CREATE = `INSERT INTO refresh_families
  (family_id, client_id, key_id, generation, token_hash, rotated_at_ms, revoked)
  VALUES ($1, $2, $3, $4, $5, $6, $7)`;
const ROTATE = `UPDATE refresh_families SET generation = generation + 1, token_hash = $1, rotated_at_ms = $2
  WHERE family_id = $3 AND generation = $4 AND revoked = 0`;
const REVOKE = `UPDATE refresh_families SET revoked = 1 WHERE family_id = $1 AND revoked = 0 RETURNING client_id`;
