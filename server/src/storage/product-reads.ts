import type { Database } from 'better-sqlite3';
import type {
  Association,
  AssociationFilter,
  OutputRecord,
  ProductRecord,
  ProductSummary,
} from '../products/product-store';
import type { ReadHandlers } from './storage-write';

type Flag = 0 | 1;
type SummaryFlags = 'activated' | 'enrolled' | 'connected';
type SummaryRow = Omit<ProductSummary, SummaryFlags> & Record<SummaryFlags, Flag>;
type ProductRow = Omit<ProductRecord, SummaryFlags | 'outputs' | 'faults'> &
  Record<SummaryFlags, Flag> & { faults: string };
type AssociationRow = Omit<Association, 'clientActive'> & { clientActive: Flag };
type AssociationArgs = AssociationFilter & { afterLogin: string; afterName: string; limit: number };
type OutputRow = Omit<OutputRecord, 'activated' | 'version'> & { activated: Flag; epoch: number; seq: number };

const SUMMARY_COLUMNS = `product_login AS productLogin, activated, connected, last_seen_at_ms AS lastSeenAtMs,
  CASE WHEN device_public_key IS NULL THEN 0 ELSE 1 END AS enrolled,
  (SELECT COUNT(*) FROM outputs WHERE outputs.product_login = products.product_login) AS outputCount`;

export function productReads(
  db: Database,
): Pick<
  ReadHandlers,
  'listProducts' | 'findProduct' | 'isAssociated' | 'listAssociations' | 'revocationCount' | 'revokedSince'
> {
  const list = db.prepare<[string, number], SummaryRow>(
    `SELECT ${SUMMARY_COLUMNS} FROM products WHERE product_login > ? ORDER BY product_login LIMIT ?`,
  );
  const product = db.prepare<[string], ProductRow>(
    `SELECT ${SUMMARY_COLUMNS}, key_hash AS keyHash, device_public_key AS devicePublicKey,
       created_at_ms AS createdAtMs, agent_version AS agentVersion, faults, replaced_at_ms AS replacedAtMs,
       (SELECT COUNT(*) FROM associations WHERE associations.product_login = products.product_login) AS clients
     FROM products WHERE product_login = ?`,
  );
  const outputs = db.prepare<[string], OutputRow>(
    `SELECT num_output AS numOutput, activated, name, mode, state, pulse_ms AS pulseMs,
       observed_at_ms AS observedAtMs, confirmed_by AS confirmedBy, locked_until_ms AS lockedUntilMs,
       heard_epoch AS epoch, heard_turn AS seq
     FROM outputs WHERE product_login = ? ORDER BY num_output`,
  );
  const associated = db.prepare<[string, string], { one: 1 }>(
    'SELECT 1 AS one FROM associations WHERE client_id = ? AND product_login = ?',
  );
  const associations = db.prepare<AssociationArgs, AssociationRow>(
    `SELECT product_login AS productLogin, client_id AS clientId, name AS clientName, active AS clientActive
     FROM associations JOIN clients USING (client_id)
     WHERE product_login >= @afterLogin AND (product_login > @afterLogin OR name > @afterName)
       AND (@productLogin IS NULL OR product_login = @productLogin)
       AND (@clientId IS NULL OR client_id = @clientId)
     ORDER BY product_login, name LIMIT @limit`,
  );
  const lastRevocation = db.prepare<[], { revocation: number }>(
    'SELECT COALESCE(MAX(revocation), 0) AS revocation FROM device_revocations',
  );
  const revoked = db.prepare<[number], { productLogin: string }>(
    'SELECT DISTINCT product_login AS productLogin FROM device_revocations WHERE revocation > ?',
  );
  // Both reads see the same commit. It ends with the call: a transaction left open would freeze what this connection sees.
  const productWithOutputs = db.transaction((productLogin: string) => {
    const row = product.get(productLogin);
    return row && { row, outputs: outputs.all(productLogin) };
  });

  return {
    listProducts: (afterLogin, limit) => list.all(afterLogin, limit).map(withFlags),
    findProduct(productLogin) {
      const found = productWithOutputs(productLogin);
      return (
        found && {
          ...withFlags(found.row),
          faults: JSON.parse(found.row.faults),
          outputs: found.outputs.map(withVersion),
        }
      );
    },
    isAssociated: (clientId, productLogin) => associated.get(clientId, productLogin) !== undefined,
    listAssociations: (filter, after, limit) =>
      associations
        .all({ ...filter, afterLogin: after?.productLogin ?? '', afterName: after?.clientName ?? '', limit })
        .map((row) => ({ ...row, clientActive: row.clientActive === 1 })),
    revocationCount: () => lastRevocation.get()?.revocation ?? 0,
    revokedSince: (revocation) => revoked.all(revocation).map((row) => row.productLogin),
  };
}

function withVersion({ epoch, seq, activated, ...output }: OutputRow): OutputRecord {
  return { ...output, activated: activated === 1, version: { epoch, seq } };
}

function withFlags<Row extends Record<SummaryFlags, Flag>>(
  row: Row,
): Omit<Row, SummaryFlags> & Record<SummaryFlags, boolean> {
  return { ...row, activated: row.activated === 1, enrolled: row.enrolled === 1, connected: row.connected === 1 };
}
