import { RelaygateError, type ReportedInput } from '@relaygate/shared';
import {
  associationBegun,
  associationEnded,
  outputActivation,
  productActivation,
  productCreated,
  productKeyRotated,
} from '../../products/product-entries';
import type {
  Association,
  ClientProduct,
  InputRecord,
  NewProduct,
  OutputRecord,
  ProductRecord,
  ProductStore,
  ProductSummary,
} from '../../products/product-store';
import type { Flag, ReadHandlers, SqlValue, WriteContext, WriteHandlers } from '../sql';

type SummaryFlags = 'activated' | 'enrolled' | 'connected';
type SummaryRow = Omit<ProductSummary, SummaryFlags> & Record<SummaryFlags, Flag>;
type ClientProductFlags = 'activated' | 'connected' | 'faulty';
type ClientProductRow = Omit<ClientProduct, ClientProductFlags> & Record<ClientProductFlags, Flag>;
type ProductRow = Omit<ProductRecord, SummaryFlags | 'outputCount' | 'outputs' | 'inputs' | 'faults'> &
  Record<SummaryFlags, Flag> & { faults: string } & InputColumns;
type OutputRow = Omit<OutputRecord, 'activated' | 'version'> & {
  outputActivated: Flag;
  frameEpoch: number;
  frameSeq: number;
};
/** The columns of a product's inputs. */
export interface InputColumns {
  inputs: string;
  inputsObservedAtMs: number;
}
type AssociationRow = Omit<Association, 'clientActive'> & { clientActive: Flag };

/** Products, their keys, their activations and their associations with clients. */
export const productReads = {
  async listProducts(sql, afterLogin, limit) {
    return (await sql.all<SummaryRow>(LIST, afterLogin, limit)).map(withFlags);
  },

  async productsOf(sql, clientId, afterLogin, limit) {
    const rows = await sql.all<ClientProductRow>(LIST_OF_CLIENT, clientId, afterLogin, limit);
    return rows.map((row) => ({
      ...row,
      activated: row.activated === 1,
      connected: row.connected === 1,
      faulty: row.faulty === 1,
    }));
  },

  async findProduct(sql, productLogin) {
    const rows = await sql.all<ProductRow & OutputRow>(FIND, productLogin);
    const [first] = rows;
    return first && productOf(first, rows.map(outputOf));
  },

  async isAssociated(sql, clientId, productLogin) {
    return (await sql.get(ASSOCIATED, clientId, productLogin)) !== undefined;
  },

  async listAssociations(sql, filter, after, limit) {
    const values: SqlValue[] = [after?.productLogin ?? '', after?.clientName ?? '', limit];
    const ofProduct = filter.productLogin === null ? '' : `AND product_login = $${values.push(filter.productLogin)}`;
    const ofClient = filter.clientId === null ? '' : `AND associations.client_id = $${values.push(filter.clientId)}`;
    const statement = `SELECT product_login, clients.client_id, name AS client_name, active AS client_active
      FROM associations JOIN clients ON clients.client_id = associations.client_id
      WHERE product_login >= $1 AND (product_login > $1 OR name > $2) ${ofProduct} ${ofClient}
      ORDER BY product_login, name LIMIT $3`;
    const rows = await sql.all<AssociationRow>(statement, ...values);
    return rows.map((row) => ({ ...row, clientActive: row.clientActive === 1 }));
  },
} satisfies ReadHandlers<ProductStore>;

export const productWrites = {
  createProduct: (context, product) => create(context, [product]),

  createProducts: create,

  async setProductActivated({ sql, audit, revise }, productLogin, activated, atMs) {
    if ((await sql.run(SET_ACTIVATED, Number(activated), productLogin, ...(await revise()))) > 0) {
      await audit(productActivation(productLogin, activated, atMs));
      return true;
    }
    return (await sql.get(PRODUCT_EXISTS, productLogin)) !== undefined;
  },

  async setOutputActivated({ sql, audit, revise }, productLogin, numOutput, activated, atMs) {
    const revision = await revise();
    if ((await sql.run(SET_OUTPUT_ACTIVATED, Number(activated), productLogin, numOutput, ...revision)) > 0) {
      await audit(outputActivation(productLogin, numOutput, activated, atMs));
      return 'done';
    }
    if (!(await sql.get(PRODUCT_EXISTS, productLogin))) return 'no-product';
    return (await sql.get(OUTPUT_EXISTS, productLogin, numOutput)) ? 'done' : 'no-output';
  },

  async rotateProductKey({ sql, audit }, productLogin, keyHash, atMs) {
    if ((await sql.run(SET_KEY, keyHash, productLogin)) === 0) return false;
    await audit(productKeyRotated(productLogin, atMs));
    return true;
  },

  async associate({ sql, audit }, clientId, productLogin, atMs) {
    if ((await sql.run(ASSOCIATE, clientId, productLogin)) > 0) {
      await audit(associationBegun(clientId, productLogin, atMs));
      return true;
    }
    return (await sql.get(MAY_ASSOCIATE, clientId, productLogin)) !== undefined;
  },

  async dissociate({ sql, audit }, clientId, productLogin, atMs) {
    if ((await sql.run(DISSOCIATE, clientId, productLogin)) === 0) return false;
    await audit(associationEnded(clientId, productLogin, atMs));
    return true;
  },
} satisfies WriteHandlers<ProductStore>;

async function create(context: WriteContext, products: readonly NewProduct[]): Promise<void> {
  for (const product of products) await insert(context, product);
  for (const product of products) await context.audit(productCreated(product));
}

async function insert({ sql, revise }: WriteContext, product: NewProduct): Promise<void> {
  const { productId, productLogin, keyHash, enrolmentHash, outputCount, createdAtMs } = product;
  const activated = Number(product.activated);
  const hashes = [keyHash, enrolmentHash] as const;
  const revision = await revise();
  if ((await sql.run(CREATE, productId, productLogin, ...hashes, activated, createdAtMs, ...revision)) === 0) {
    throw new RelaygateError('already-exists', `There is a product with the login ${productLogin} already.`);
  }
  for (let numOutput = 0; numOutput < outputCount; numOutput += 1) {
    await sql.send(CREATE_OUTPUT, productLogin, numOutput, activated, ...(await revise()));
  }
}

function withFlags<Row extends Record<SummaryFlags, Flag>>(
  row: Row,
): Omit<Row, SummaryFlags> & Record<SummaryFlags, boolean> {
  return { ...row, activated: row.activated === 1, enrolled: row.enrolled === 1, connected: row.connected === 1 };
}

function productOf(row: ProductRow, outputs: OutputRecord[]): ProductRecord {
  const { productLogin, activated, enrolled, connected, lastSeenAtMs } = withFlags(row);
  const { productId, keyHash, devicePublicKey, createdAtMs, agentVersion, faults, replacedAtMs, clients } = row;
  return {
    productId,
    productLogin,
    outputCount: outputs.length,
    activated,
    enrolled,
    connected,
    lastSeenAtMs,
    keyHash,
    devicePublicKey,
    createdAtMs,
    agentVersion,
    faults: JSON.parse(faults),
    replacedAtMs,
    clients,
    outputs,
    inputs: inputRecords(row),
  };
}

export function inputRecords({ inputs, inputsObservedAtMs }: InputColumns): InputRecord[] {
  const reported: ReportedInput[] = JSON.parse(inputs);
  return reported.map((input) => ({ ...input, observedAtMs: inputsObservedAtMs }));
}

function outputOf(row: OutputRow): OutputRecord {
  const { numOutput, name, mode, state, pulseMs, observedAtMs, confirmedBy, lockedUntilMs } = row;
  return {
    numOutput,
    activated: row.outputActivated === 1,
    name,
    mode,
    state,
    pulseMs,
    observedAtMs,
    confirmedBy,
    lockedUntilMs,
    version: { epoch: row.frameEpoch, seq: row.frameSeq },
  };
}

const SUMMARY = `products.product_login, products.activated, connected, last_seen_at_ms,
  CASE WHEN device_public_key IS NULL THEN 0 ELSE 1 END AS enrolled`;
const OUTPUT_COUNT =
  '(SELECT COUNT(*) FROM outputs WHERE outputs.product_login = products.product_login) AS output_count';
const LIST = `SELECT ${SUMMARY}, ${OUTPUT_COUNT}
  FROM products WHERE product_login > $1 ORDER BY product_login LIMIT $2`;
/** The page is cut off first: other products are not read. */
const LIST_OF_CLIENT = `SELECT products.product_login, activated, connected, last_seen_at_ms, nodes.name AS node_name,
    CASE faults WHEN '[]' THEN 0 ELSE 1 END AS faulty, ${OUTPUT_COUNT}
  FROM (
    SELECT product_login FROM associations WHERE client_id = $1 AND product_login > $2 ORDER BY product_login LIMIT $3
  ) AS page
    JOIN products ON products.product_login = page.product_login
    LEFT JOIN nodes ON instance = link_node AND lease_until_ms > now_ms()
  ORDER BY products.product_login`;
/** A row an output, of which every product has one: in one statement, so that all is of one commit. The first has the inputs. */
const FIND = `SELECT product_id, ${SUMMARY}, key_hash, device_public_key, created_at_ms, agent_version, faults, replaced_at_ms,
    CASE num_output WHEN 0 THEN inputs END AS inputs, inputs_observed_at_ms,
    (SELECT COUNT(*) FROM associations WHERE associations.product_login = $1) AS clients,
    num_output, outputs.activated AS output_activated, name, mode, state, pulse_ms, observed_at_ms, confirmed_by,
    locked_until_ms, heard_epoch AS frame_epoch, heard_turn AS frame_seq
  FROM products JOIN outputs ON outputs.product_login = products.product_login
  WHERE products.product_login = $1 ORDER BY num_output`;
const ASSOCIATED = 'SELECT 1 AS one FROM associations WHERE client_id = $1 AND product_login = $2';
const PRODUCT_EXISTS = 'SELECT 1 AS one FROM products WHERE product_login = $1';
const OUTPUT_EXISTS = 'SELECT 1 AS one FROM outputs WHERE product_login = $1 AND num_output = $2';

const CREATE = `INSERT INTO products (product_id, product_login, key_hash, enrolment_hash, activated, created_at_ms,
    revised_by, revision)
  VALUES ($1, $2, $3, $4, $5, $6, $7, $8) ON CONFLICT DO NOTHING`;
const CREATE_OUTPUT = `INSERT INTO outputs (product_login, num_output, activated, revised_by, revision)
  VALUES ($1, $2, $3, $4, $5)`;
const SET_ACTIVATED = `UPDATE products SET activated = $1, revised_by = $3, revision = $4
  WHERE product_login = $2 AND activated <> $1`;
const SET_OUTPUT_ACTIVATED = `UPDATE outputs SET activated = $1, revised_by = $4, revision = $5
  WHERE product_login = $2 AND num_output = $3 AND activated <> $1`;
const SET_KEY = 'UPDATE products SET key_hash = $1 WHERE product_login = $2';
const MAY_ASSOCIATE = `SELECT client_id, product_login FROM clients CROSS JOIN products
  WHERE client_id = $1 AND active = 1 AND product_login = $2`;
const ASSOCIATE = `INSERT INTO associations (client_id, product_login) ${MAY_ASSOCIATE} ON CONFLICT DO NOTHING`;
const DISSOCIATE = 'DELETE FROM associations WHERE client_id = $1 AND product_login = $2';
