/** Bodies of the API as server/openapi.json has them; test/unit/client/api-types.test.ts holds them to its schemas. */

/** Of an on-off output 1 is activated; of an impulse output 1 is a pulse that runs. */
export type OutputState = 0 | 1;

export interface OutputStatus {
  numOutput: number;
  name: string | null;
  mode: 'on-off' | 'impulse' | null;
  /** Last known, never live; null: never reported. */
  state: OutputState | null;
  /** When the server received it: ISO 8601, UTC. */
  observedAt: string | null;
  activated: boolean;
  pulseMs: number | null;
  /** What a confirmation means: the relay board was read, or only written. */
  confirmedBy: 'readback' | 'write' | null;
  /** A technician works at it: until then the device refuses commands for it. */
  lockedUntil?: string;
}

export interface InputStatus {
  numInput: number;
  name: string;
  /** `contact`, `tamper` or `button`; new ones may come. */
  kind: string;
  /** As `open`, `closed`, `pressed`, `released`; null: not known. */
  state: string | null;
  observedAt: string;
}

export interface ProductState {
  productLogin: string;
  connected: boolean;
  lastSeenAt: string | null;
  outputs: OutputStatus[];
  /** What the device last said is wrong with it, one sentence each. */
  faults: string[];
  inputs: InputStatus[];
}

/**
 * `confirmed-late`: executed, and confirmed after the answer. `unknown`, `unproven`: it may have been executed. `refused`: `reason` says why.
 * `expired`: certainly not begun.
 */
export type CommandOutcome =
  | 'pending'
  | 'executed'
  | 'already-set'
  | 'refused'
  | 'unproven'
  | 'expired'
  | 'confirmed-late'
  | 'unknown';

export interface CommandStatus {
  commandId: string;
  productLogin: string;
  numOutput: number;
  action: 'set' | 'toggle';
  /** Null for a toggle. */
  state: OutputState | null;
  outcome: CommandOutcome;
  reason: string | null;
  acceptedAt: string;
  resolvedAt: string | null;
}

export interface CommandPage {
  /** Newest first. */
  commands: CommandStatus[];
  /** Pass it as `cursor`, with the same filters; absent on the last page. A page before may be empty. */
  next?: string;
}

/** One row of a list of products. */
export interface ListedProduct {
  productLogin: string;
  connected: boolean;
  lastSeenAt: string | null;
  /** The operator has activated the application for this product. */
  activated: boolean;
  /** Outputs are numbered from 0. */
  outputCount: number;
  /** The device has last said that something is wrong; the faults of its state say what. */
  faulty: boolean;
}

export interface ProductPage {
  products: ListedProduct[];
  /** Pass it as `cursor`, with the same filters; absent on the last page. A page before may be empty. */
  next?: string;
}

/** What a set or toggle did. */
export interface CommandResult {
  /** `already-set`: the output was in the desired state, and nothing moved. */
  outcome: 'done' | 'already-set';
  /** Undefined only if something on the way took the header away. */
  commandId: string | undefined;
  /** An earlier try of this key did it, and its answer was lost. */
  replayed: boolean;
}

export type ErrorCode =
  | 'bad-request'
  | 'bad-token'
  | 'client-key-not-found'
  | 'user-not-allowed'
  | 'product-not-found'
  | 'not-found'
  | 'method-not-allowed'
  | 'request-already-pending'
  | 'payload-too-large'
  | 'invalid-params'
  | 'idempotency-key-reused'
  | 'too-many-requests'
  | 'unknown'
  | 'device-timeout';
