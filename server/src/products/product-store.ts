import type { ConfirmedBy, OutputMode, OutputState, ReportedInput } from '@relaygate/shared';
import type { FrameVersion } from '../devices/frame-version';

/**
 * Stores products, outputs, associations and enrolments. A productLogin never changes. Each method is one transaction; a
 * resolved write is durable (I8). Times are wall time in ms.
 */
export interface ProductStore {
  /** Fails with `already-exists` if a product has this login or this id. */
  createProduct(product: NewProduct): Promise<void>;
  /** Creates all, or none if one login or id is taken (`already-exists`). At most 500, so that others can write in between. */
  createProducts(products: readonly NewProduct[]): Promise<void>;
  /** In the order of their logins, after `afterLogin`, at most `limit` (1..1000). */
  listProducts(afterLogin: string, limit: number): Promise<ProductSummary[]>;
  /** Those that the client is associated with, as `listProducts`. */
  productsOf(clientId: string, afterLogin: string, limit: number): Promise<ClientProduct[]>;
  findProduct(productLogin: string): Promise<ProductRecord | undefined>;
  /** The flag of the application. False if the product is unknown. */
  setProductActivated(productLogin: string, activated: boolean, atMs: number): Promise<boolean>;
  setOutputActivated(
    productLogin: string,
    numOutput: number,
    activated: boolean,
    atMs: number,
  ): Promise<'done' | 'no-product' | 'no-output'>;
  /** The new key replaces the old one at once; associations stay. False if the product is unknown. */
  rotateProductKey(productLogin: string, keyHash: string, atMs: number): Promise<boolean>;
  /**
   * Forgets the device's public key and the notice that two devices held it, and sets a new enrolment code. The caller
   * closes the link (I13). False if the product is unknown.
   */
  revokeDevice(productLogin: string, enrolmentHash: string, atMs: number): Promise<boolean>;

  /** Associating twice is the same as once. False if the product is unknown or the client is not active. */
  associate(clientId: string, productLogin: string, atMs: number): Promise<boolean>;
  /** False if there was no association. */
  dissociate(clientId: string, productLogin: string, atMs: number): Promise<boolean>;
  isAssociated(clientId: string, productLogin: string): Promise<boolean>;
  /** In the order of product logins, then of client names, after `after`, at most `limit` (1..1000). */
  listAssociations(
    filter: AssociationFilter,
    after: Pick<Association, 'productLogin' | 'clientName'> | undefined,
    limit: number,
  ): Promise<Association[]>;
}

/** The client may control the product. */
export interface Association {
  productLogin: string;
  clientId: string;
  clientName: string;
  /** An inactive client is refused everywhere. */
  clientActive: boolean;
}

/** Null: any. */
export interface AssociationFilter {
  productLogin: string | null;
  clientId: string | null;
}

export interface NewProduct {
  /** Random; see `newProductId`. */
  productId: number;
  productLogin: string;
  /** SHA-256 of the normalised key, hex. */
  keyHash: string;
  enrolmentHash: string;
  /** 1..64; outputs are numbered from 0. */
  outputCount: number;
  /** Whether the application and all outputs are activated from the start. */
  activated: boolean;
  createdAtMs: number;
}

export interface ProductSummary {
  productLogin: string;
  outputCount: number;
  activated: boolean;
  enrolled: boolean;
  connected: boolean;
  lastSeenAtMs: number | null;
}

export interface ClientProduct extends Omit<ProductSummary, 'enrolled'> {
  /** The device has last said that something is wrong with it. */
  faulty: boolean;
  /** The node that holds its link. Null: it has none, or its lease is over. */
  nodeName: string | null;
}

export interface ProductRecord extends ProductSummary {
  /** What records name the product by. It never changes, and nobody outside the server sees it. */
  productId: number;
  keyHash: string;
  devicePublicKey: string | null;
  createdAtMs: number;
  agentVersion: string | null;
  faults: string[];
  /** When the server last noticed that two devices hold the key; null if never, or if the device was revoked since. */
  replacedAtMs: number | null;
  /** How many clients are associated. */
  clients: number;
  outputs: OutputRecord[];
  /** Of the device's last report, in the order of their numbers. */
  inputs: InputRecord[];
}

export interface InputRecord extends ReportedInput {
  observedAtMs: number;
}

/** `product create` makes it; what the device reports is null until its first report. */
export interface OutputRecord {
  numOutput: number;
  activated: boolean;
  name: string | null;
  mode: OutputMode | null;
  state: OutputState | null;
  pulseMs: number | null;
  observedAtMs: number | null;
  /** The frame that reported the state; before the first report, older than any frame. */
  version: FrameVersion;
  confirmedBy: ConfirmedBy | null;
  /** A technician has locked it until then, as last reported; null: not locked. */
  lockedUntilMs: number | null;
}
