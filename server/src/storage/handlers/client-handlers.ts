import { MAX_FAMILIES_PER_CLIENT, RelaygateError } from '@relaygate/shared';
import { nameCommitment } from '../../audit/committed-name';
import { clientActivation, clientCreated, clientKeyRotated, endsSessions } from '../../clients/client-entries';
import type { ClientKeyRecord, ClientStore, ClientSummary, NamedClient } from '../../clients/client-store';
import { familyEnded, familyRevoked } from '../../tokens/family-entries';
import type { FamilyStore, RefreshFamily } from '../../tokens/family-store';
import type { Flag, ReadHandlers, Sql, WriteContext, WriteHandlers } from '../sql';

type Row<T> = Omit<T, 'active'> & { active: Flag };

export const clientReads = {
  async listClients(sql, afterName, limit) {
    const rows = await sql.all<Row<ClientSummary>>(LIST, afterName, limit);
    return rows.map((row) => ({ ...row, active: row.active === 1 }));
  },

  findClient,

  async isKeyActive(sql, { clientId, keyId }, atMs) {
    return (await sql.get(ACTIVE_KEY, clientId, keyId, atMs)) !== undefined;
  },

  async findClientKey(sql, keyId, atMs) {
    const row = await sql.get<Row<ClientKeyRecord>>(KEY, keyId, atMs);
    return row && { ...row, active: row.active === 1 };
  },
} satisfies ReadHandlers<ClientStore>;

export const clientWrites = {
  async createClient({ sql, audit, newSalt }, client) {
    const { clientId, name, keyId, keyHash, createdAtMs } = client;
    const salt = newSalt();
    if ((await sql.run(CREATE, clientId, name, keyId, keyHash, createdAtMs, salt)) === 0) {
      throw new RelaygateError('already-exists', `There is a client named ${name} already.`);
    }
    await audit(clientCreated(client, nameCommitment(salt, name)));
  },

  async setClientActive({ sql, audit }, idOrName, active, atMs) {
    const client = await findClient(sql, idOrName);
    if (!client) return false;
    if ((await sql.run(SET_ACTIVE, Number(active), client.clientId)) > 0) {
      await audit(clientActivation(client, active, atMs));
    }
    return true;
  },

  async rotateClientKey({ sql, audit }, idOrName, rotation) {
    const client = await findClient(sql, idOrName);
    if (!client) return undefined;
    const { clientId } = client;
    const { keyId, keyHash, oldKeyUntilMs, atMs } = rotation;
    const old = await sql.get<{ keyId: string }>(LOCK_KEY, clientId);
    await sql.send(END_OLD_KEYS, oldKeyUntilMs, clientId);
    await sql.send(KEEP_OLD_KEY, oldKeyUntilMs, clientId);
    await sql.send(FORGET_DEAD_KEYS, clientId, atMs);
    await sql.send(SET_KEY, keyId, keyHash, clientId);
    if (endsSessions(rotation)) await sql.send(REVOKE_FAMILIES, clientId);
    await audit(clientKeyRotated(client, old?.keyId ?? null, rotation));
    return client;
  },
} satisfies WriteHandlers<ClientStore>;

/** If the text is one client's id and another client's name, the id counts. */
async function findClient(sql: Sql, idOrName: string): Promise<NamedClient | undefined> {
  return sql.get<NamedClient>(FIND, idOrName);
}

const FIND = `SELECT client_id, name FROM clients WHERE client_id = $1 OR name = $1
  ORDER BY CASE WHEN client_id = $1 THEN 0 ELSE 1 END LIMIT 1`;
const LIST = `SELECT client_id, name, key_id, active, created_at_ms,
    (SELECT COUNT(*) FROM associations WHERE associations.client_id = clients.client_id) AS products,
    (SELECT MAX(works_until_ms) FROM rotated_client_keys
      WHERE rotated_client_keys.client_id = clients.client_id) AS old_key_until_ms
  FROM clients WHERE name > $1 ORDER BY name LIMIT $2`;
const ACTIVE_KEY = `SELECT 1 AS one FROM clients
  WHERE client_id = $1 AND active = 1 AND (key_id = $2 OR EXISTS (
    SELECT 1 FROM rotated_client_keys
    WHERE rotated_client_keys.key_id = $2 AND rotated_client_keys.client_id = clients.client_id AND works_until_ms > $3))`;
const KEY = `SELECT client_id, key_hash, active FROM clients WHERE key_id = $1
  UNION ALL
  SELECT clients.client_id, rotated_client_keys.key_hash, active
  FROM rotated_client_keys JOIN clients ON clients.client_id = rotated_client_keys.client_id
  WHERE rotated_client_keys.key_id = $1 AND works_until_ms > $2`;

const CREATE = `INSERT INTO clients (client_id, name, key_id, key_hash, active, created_at_ms, name_salt)
  VALUES ($1, $2, $3, $4, 1, $5, $6) ON CONFLICT (name) DO NOTHING`;
const SET_ACTIVE = 'UPDATE clients SET active = $1 WHERE client_id = $2 AND active <> $1';
/** Changes nothing: of two rotations at once, the second waits here and then sees the key of the first. */
const LOCK_KEY = 'UPDATE clients SET key_id = key_id WHERE client_id = $1 RETURNING key_id';
const END_OLD_KEYS = 'UPDATE rotated_client_keys SET works_until_ms = $1 WHERE client_id = $2 AND works_until_ms > $1';
const KEEP_OLD_KEY = `INSERT INTO rotated_client_keys (key_id, client_id, key_hash, works_until_ms)
  SELECT key_id, client_id, key_hash, $1 FROM clients WHERE client_id = $2`;
const FORGET_DEAD_KEYS = 'DELETE FROM rotated_client_keys WHERE client_id = $1 AND works_until_ms <= $2';
const SET_KEY = 'UPDATE clients SET key_id = $1, key_hash = $2 WHERE client_id = $3';
const REVOKE_FAMILIES = 'UPDATE refresh_families SET revoked = 1 WHERE client_id = $1 AND revoked = 0';

type FamilyRow = Omit<RefreshFamily, 'revoked'> & { revoked: Flag };

export const familyReads = {
  async findFamily(sql, familyId) {
    const row = await sql.get<FamilyRow>(FIND_FAMILY, familyId);
    return row && { ...row, revoked: row.revoked === 1 };
  },
} satisfies ReadHandlers<FamilyStore>;

export const familyWrites = {
  async createFamily(context, { familyId, clientId, keyId, generation, tokenHash, rotatedAtMs, revoked }) {
    const values = [familyId, clientId, keyId, generation, tokenHash, rotatedAtMs, Number(revoked)];
    await context.sql.lock(`refresh families of ${clientId}`);
    await context.sql.send(CREATE_FAMILY, ...values);
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
  const { count } = (await sql.get<{ count: number }>(COUNT_FAMILIES, clientId)) ?? { count: 0 };
  const excess = count - MAX_FAMILIES_PER_CLIENT;
  if (excess <= 0) return;
  const removed = await sql.all<Omit<FamilyRow, 'clientId'>>(REMOVE_LEAST_USED, clientId, excess, newId);
  for (const { familyId, revoked, rotatedAtMs } of removed) {
    const entry = familyEnded({ familyId, clientId, revoked: revoked === 1, rotatedAtMs }, atMs);
    if (entry) await audit(entry);
  }
}

const FIND_FAMILY = `SELECT family_id, client_id, key_id, generation, token_hash, rotated_at_ms, revoked
  FROM refresh_families WHERE family_id = $1`;
const COUNT_FAMILIES = 'SELECT COUNT(*) AS count FROM refresh_families WHERE client_id = $1';
const REMOVE_LEAST_USED = `DELETE FROM refresh_families WHERE family_id IN (
    SELECT family_id FROM refresh_families WHERE client_id = $1 AND family_id <> $3
    ORDER BY revoked DESC, rotated_at_ms LIMIT $2
  ) RETURNING family_id, revoked, rotated_at_ms`;
const CREATE_FAMILY = `INSERT INTO refresh_families
  (family_id, client_id, key_id, generation, token_hash, rotated_at_ms, revoked)
  VALUES ($1, $2, $3, $4, $5, $6, $7)`;
const ROTATE = `UPDATE refresh_families SET generation = generation + 1, token_hash = $1, rotated_at_ms = $2
  WHERE family_id = $3 AND generation = $4 AND revoked = 0`;
const REVOKE = `UPDATE refresh_families SET revoked = 1 WHERE family_id = $1 AND revoked = 0 RETURNING client_id`;
