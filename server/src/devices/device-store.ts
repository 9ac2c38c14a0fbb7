import type { ReportedInput, ReportedOutput } from '@relaygate/shared';

/**
 * Stores key, link and report of each device. Each method is one transaction; a resolved write is durable (I8). Times are wall
 * time in ms.
 */
export interface DeviceStore {
  /** Pins the key if the code is right and no other key is pinned. The same key again succeeds, because the answer may be lost. */
  enrolDevice(productLogin: string, publicKey: string, enrolmentHash: string, atMs: number): Promise<boolean>;
  /**
   * Draws the next epoch (I12). Stores that the link is up and whose it is, and whether two devices hold the key (T10). Undefined if
   * this key is not the pinned one. Rejects if the node's lease is over.
   */
  openLink(productLogin: string, opening: LinkOpening): Promise<number | undefined>;
  /** Stores the link as down, unless a newer epoch has taken over. */
  closeLink(productLogin: string, epoch: number, atMs: number): Promise<void>;
  /**
   * Makes `held` the product's link again (null: none) after an opening that failed, or an end that was not stored. Later epochs
   * become invalid, so it must not run while the product opens a link. `seenAtMs`: when the device was last seen. Changes nothing if
   * the product's owner is another node than `node`.
   */
  settleLink(productLogin: string, held: HeldLink | null, seenAtMs: number, node?: string): Promise<void>;
  /** For the start: stores that no link is up. */
  closeAllLinks(): Promise<void>;
  /**
   * Saves the device's report as the last known state, except what a newer frame has reported. False, and nothing saved, if
   * a newer epoch owns the product.
   */
  saveReport(productLogin: string, epoch: number, report: DeviceReport): Promise<boolean>;

  /** Goes up with each revocation; `revokedSince(n)` lists the products that were revoked after it was n. */
  revocationCount(): Promise<number>;
  revokedSince(revocation: number): Promise<string[]>;
}

/** The key of each product's device. */
export interface PinnedKeys {
  /** Undefined if the product is unknown; a null key if no device is enrolled. */
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
  /** Of this start of the device's program. */
  instanceId: string;
  atMs: number;
  /** The instance of the node that opens it and owns the product from now on. Absent: the only node. */
  node?: string;
}

/** A link as `openLink` has stored it. */
export interface HeldLink extends Omit<LinkOpening, 'instanceId' | 'node'> {
  epoch: number;
}

export interface DeviceReport {
  outputs: readonly ReportedOutput[];
  /** All inputs that the product has from now on, each once, in the order of their numbers. */
  inputs: readonly ReportedInput[];
  faults: readonly string[];
  observedAtMs: number;
  /** Its number among the frames of its link. */
  seq: number;
  /** What of it is saved already and need not be written again. Absent: nothing. */
  repeated?: RepeatedParts | undefined;
}

/** What a report has in common with the one before it on the same link. */
export interface RepeatedParts {
  faults: boolean;
  /** Neither has inputs. Those of a device that has some are written always, because the time of their states is a new one. */
  noInputs: boolean;
  /** The outputs whose settings are the same. Their states are written always: a command's outcome may have come between. */
  settingsOf: readonly number[];
}
