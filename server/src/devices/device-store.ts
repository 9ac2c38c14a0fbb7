import type { ReportedOutput } from '@relaygate/shared';

/**
 * What is kept of each product's device: its key, its link, its report. Each method is one transaction; a resolved write
 * is durable (I8). Times are wall time in ms.
 */
export interface DeviceStore {
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
   * Makes `held` the product's link again (null: none) after an opening that failed, or an end that was not noted. Epochs
   * drawn since then count no more. Not beside an opening of this product. `seenAtMs`: when the device was last seen.
   */
  settleLink(productLogin: string, held: HeldLink | null, seenAtMs: number): Promise<void>;
  /** After a start: no link is up, whatever the last run left behind. */
  closeAllLinks(): Promise<void>;
  /** Saves the device's report as the last known state, except what a newer frame has reported or a newer epoch owns. */
  saveReport(productLogin: string, epoch: number, report: DeviceReport): Promise<void>;

  /** Counts up with each revocation; `revokedSince(n)` lists the products revoked after it stood at n. */
  revocationCount(): Promise<number>;
  revokedSince(revocation: number): Promise<string[]>;
}

/** Which key the product's device has. */
export interface PinnedKeys {
  /** Undefined when the product is unknown, a null key when no device is enrolled. */
  findProduct(productLogin: string): Promise<{ devicePublicKey: string | null } | undefined>;
}

/** Commands whose outcome the server asks a device for. */
export interface UnresolvedCommands {
  /** Newest first, at most `limit`. */
  openCommands(productLogin: string, limit: number): Promise<{ commandId: string }[]>;
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
