import type { ConfirmedBy, OutputMode, OutputState, ReportedOutput } from '@relaygate/shared';
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

  /** Pins the key if the code is the product's and no other key is pinned; the same key again succeeds (a lost answer). */
  enrolDevice(productLogin: string, publicKey: string, enrolmentHash: string, atMs: number): Promise<boolean>;
  /**
   * Counts the link epoch up (I12) and notes the link as up; also when two devices hold the key (T10). Undefined when this
   * key is not the pinned one.
   */
  openLink(productLogin: string, opening: LinkOpening): Promise<number | undefined>;
  /** Notes the link as down, unless a newer epoch has taken over. */
  closeLink(productLogin: string, epoch: number, atMs: number): Promise<void>;
  /**
   * An opening came to nothing, or a link's end was not noted: `held` is the link that is there, null: none. What has
   * been drawn since counts no more. Not beside an opening of this product. `seenAtMs`: of the device, if none is there.
   */
  settleLink(productLogin: string, held: HeldLink | null, seenAtMs: number): Promise<void>;
  /** After a start: no link is up, whatever the last run left behind. */
  closeAllLinks(): Promise<void>;
  /** The device's report becomes the last known state, but of what was heard later, unless a newer epoch has taken over. */
  saveReport(productLogin: string, epoch: number, report: DeviceReport): Promise<void>;

  /** Counts up with each revocation; `revokedSince(n)` lists the products revoked after it stood at n. */
  revocationCount(): Promise<number>;
  revokedSince(revocation: number): Promise<string[]>;
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

export interface LinkOpening {
  publicKey: string;
  bootId: string;
  agentVersion: string;
  /** Of the device's program; the next start of it has another. */
  instanceId: string;
  atMs: number;
}

/** A link as `openLink` has noted it. */
export interface HeldLink extends Omit<LinkOpening, 'instanceId'> {
  epoch: number;
}

export interface DeviceReport {
  outputs: readonly ReportedOutput[];
  faults: readonly string[];
  observedAtMs: number;
  /** Its number among the frames of its link. */
  seq: number;
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
