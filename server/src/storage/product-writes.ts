import { RelaygateError } from '@relaygate/shared';
import type { Database } from 'better-sqlite3';
import type { NewProduct } from '../products/product-store';
import type { AppendAudit } from './audit-chain';
import type { WriteHandlers } from './storage-write';

/** Products, their keys, their activations and their associations with clients. */
export function productWrites(
  db: Database,
  audit: AppendAudit,
): Pick<
  WriteHandlers,
  | 'createProduct'
  | 'createProducts'
  | 'setProductActivated'
  | 'setOutputActivated'
  | 'rotateProductKey'
  | 'associate'
  | 'dissociate'
> {
  const insert = db.prepare(
    `INSERT INTO products (product_login, key_hash, enrolment_hash, activated, created_at_ms)
     VALUES (?, ?, ?, ?, ?) ON CONFLICT (product_login) DO NOTHING`,
  );
  const insertOutput = db.prepare('INSERT INTO outputs (product_login, num_output, activated) VALUES (?, ?, ?)');
  const exists = db.prepare<[string], { one: 1 }>('SELECT 1 AS one FROM products WHERE product_login = ?');
  const setActivated = db.prepare('UPDATE products SET activated = ? WHERE product_login = ? AND activated <> ?');
  const output = db.prepare<[string, number], { one: 1 }>(
    'SELECT 1 AS one FROM outputs WHERE product_login = ? AND num_output = ?',
  );
  const setOutput = db.prepare(
    'UPDATE outputs SET activated = ? WHERE product_login = ? AND num_output = ? AND activated <> ?',
  );
  const setKey = db.prepare('UPDATE products SET key_hash = ? WHERE product_login = ?');
  const activeClient = db.prepare<[string], { one: 1 }>(
    'SELECT 1 AS one FROM clients WHERE client_id = ? AND active = 1',
  );
  const associate = db.prepare(
    'INSERT INTO associations (client_id, product_login) VALUES (?, ?) ON CONFLICT DO NOTHING',
  );
  const dissociate = db.prepare('DELETE FROM associations WHERE client_id = ? AND product_login = ?');

  function create({ productLogin, keyHash, enrolmentHash, outputCount, activated, createdAtMs }: NewProduct): void {
    const flag = Number(activated);
    if (insert.run(productLogin, keyHash, enrolmentHash, flag, createdAtMs).changes === 0) {
      throw new RelaygateError('already-exists', `There is a product with the login ${productLogin} already.`);
    }
    for (let numOutput = 0; numOutput < outputCount; numOutput += 1) {
      insertOutput.run(productLogin, numOutput, flag);
    }
    audit({ kind: 'product-created', atMs: createdAtMs, productLogin, details: { outputCount, activated } });
  }

  return {
    createProduct: create,

    createProducts(products) {
      for (const product of products) create(product);
    },

    setProductActivated(productLogin, activated, atMs) {
      if (!exists.get(productLogin)) return false;
      if (setActivated.run(Number(activated), productLogin, Number(activated)).changes > 0) {
        audit({ kind: activated ? 'product-activated' : 'product-deactivated', atMs, productLogin });
      }
      return true;
    },

    setOutputActivated(productLogin, numOutput, activated, atMs) {
      if (!exists.get(productLogin)) return 'no-product';
      if (!output.get(productLogin, numOutput)) return 'no-output';
      if (setOutput.run(Number(activated), productLogin, numOutput, Number(activated)).changes > 0) {
        const kind = activated ? 'output-activated' : 'output-deactivated';
        audit({ kind, atMs, productLogin, details: { numOutput } });
      }
      return 'done';
    },

    rotateProductKey(productLogin, keyHash, atMs) {
      const done = setKey.run(keyHash, productLogin).changes > 0;
      if (done) audit({ kind: 'product-key-rotated', atMs, productLogin });
      return done;
    },

    associate(clientId, productLogin, atMs) {
      if (!exists.get(productLogin) || !activeClient.get(clientId)) return false;
      if (associate.run(clientId, productLogin).changes > 0) {
        audit({ kind: 'associated', atMs, productLogin, clientId });
      }
      return true;
    },

    dissociate(clientId, productLogin, atMs) {
      const done = dissociate.run(clientId, productLogin).changes > 0;
      if (done) audit({ kind: 'dissociated', atMs, productLogin, clientId });
      return done;
    },
  };
}
