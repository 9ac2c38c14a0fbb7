import type { ConfirmedBy, OutputMode, OutputState } from '@relaygate/shared';
import type { FrameVersion } from '../devices/frame-version';

/**
 * Where products, their outputs, associations and enrolments live. A product is named by its productLogin, which
 * never changes. Each method is one transaction; a resolved write is durable (I8). Times are wall time in ms.
 */
export interface ProductStore {
  /** Fails with `already-exists` when a product has this login. */
  createProduct(product: NewProduct): Promise<void>;
  /** All or, where one login is taken (`already-exists`), none. At most 500, so that others may write in between. */
  createProducts(products: readonly NewProduct[]): Promise<void>;
  /** In the order of their logins, after `afterLogin`, at most `limit` (1..1000). */
  listProducts(afterLogin: string, limit: number): Promise<ProductSummary[]>;
  findProduct(productLogin: string): Promise<ProductRecord | undefined>;
  /** The application's flag. False when the product is unknown. */
  setProductActivated(productLogin: string, activated: boolean, atMs: number): Promise<boolean>;
  setOutputActivated(
    productLogin: string,
    numOutput: number,
    activated: boolean,
    atMs: number,
  ): Promise<'done' | 'no-product' | 'no-output'>;
  /** The new key replaces the old one, which is dead at once; associations stay. False when the product is unknown. */
  rotateProductKey(productLogin: string, keyHash: string, atMs: number): Promise<boolean>;
  /**
   * Forgets the device's public key, and who else held it, and sets a new enrolment code; its link is to be closed (I13).
   * False when unknown.
   */
  revokeDevice(productLogin: string, enrolmentHash: string, atMs: number): Promise<boolean>;

  /** Associating twice is the same as once. False when the product is unknown or the client is not active. */
  associate(clientId: string, productLogin: string, atMs: number): Promise<boolean>;
  /** False when there was no association. */
  dissociate(clientId: string, productLogin: string, atMs: number): Promise<boolean>;
  isAssociated(clientId: string, productLogin: string): Promise<boolean>;
  /** In the order of their products, then of their clients' names, after `after`, at most `limit` (1..1000). */
  listAssociations(
    filter: AssociationFilter,
    after: Pick<Association, 'productLogin' | 'clientName'> | undefined,
    limit: number,
  ): Promise<Association[]>;
}

/** Who may control a product. */
export interface Association {
  productLogin: string;
  clientId: string;
  clientName: string;
  /** One that is not is refused everywhere. */
  clientActive: boolean;
}

/** Each member narrows; null lets everything pass. */
export interface AssociationFilter {
  productLogin: string | null;
  clientId: string | null;
}

export interface NewProduct {
  productLogin: string;
  /** SHA-256 of the normalised key, hex. */
  keyHash: string;
  enrolmentHash: string;
  /** 1..64; outputs are numbered from 0. */
  outputCount: number;
  /** The application and all outputs activated from the start. */
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

export interface ProductRecord extends ProductSummary {
  keyHash: string;
  devicePublicKey: string | null;
  createdAtMs: number;
  agentVersion: string | null;
  faults: string[];
  /** When it last showed that a second device holds this device's key; null = never, or revoked since. */
  replacedAtMs: number | null;
  /** Clients associated with it. */
  clients: number;
  outputs: OutputRecord[];
}

/** Declared by `product create`; what the device said of it is null until it reported. */
export interface OutputRecord {
  numOutput: number;
  activated: boolean;
  name: string | null;
  mode: OutputMode | null;
  state: OutputState | null;
  pulseMs: number | null;
  observedAtMs: number | null;
  /** The frame that told the state; before all others: none has. */
  version: FrameVersion;
  confirmedBy: ConfirmedBy | null;
  /** A technician keeps the server from it until then, as last reported; null: not. */
  lockedUntilMs: number | null;
}
