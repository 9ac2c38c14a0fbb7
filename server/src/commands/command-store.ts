import type { CommandOutcome, OutputState } from '@relaygate/shared';
import type { ObservedState } from '../devices/frame-version';
import type { LinkPresence } from '../devices/presence';

/** The facts that allow or refuse a command, read fresh each time. */
export interface CommandAccess {
  clientActive: boolean;
  /** The application's name; undefined if the client is unknown. */
  clientName: string | undefined;
  associated: boolean;
  /** "The application is activated", a flag of the product. */
  productActivated: boolean;
  /** Undefined if the product has no output with this number. */
  outputActivated: boolean | undefined;
  /** A device's key is pinned to the product; without one no link can come. */
  deviceEnrolled: boolean;
  /** Of several nodes, the one that has the product; absent if that has no lease. */
  owner?: LinkPresence;
}

export interface CommandStore {
  /** Hot path, one read. Undefined if the product is unknown. */
  readAccess(clientId: string, productLogin: string, numOutput: number): Promise<CommandAccess | undefined>;

  /**
   * The audit's record of the command, durable when resolved (I9). Rejects when it is not written: also if the command's node does
   * not own the product, or if a command that another node has recorded may still be at work (`unknown`). False, and nothing
   * written: its key stands for another command or, of several nodes, its client may not drive the output.
   */
  recordCommand(command: CommandRecord): Promise<boolean>;
  /** The command that a client's key stands for. Undefined: for none, or none any more. */
  findKeyed(clientId: string, key: string): Promise<KeyedCommand | undefined>;
  /**
   * Before a command is sent to another boot of the device than its record names, or after its link was lost. Durable when resolved.
   * False if it is not open any more: another node, to which the device has come meanwhile, has ended it.
   */
  recordBoot(commandId: string, bootId: string): Promise<boolean>;
  /**
   * Appends the outcome of a recorded command to the audit, and saves the observed state unless a newer frame has
   * reported one. `unknown` keeps the command open for a later resume report. False, and nothing written, if the command
   * is not open for this product any more (a repeated outcome, or one of another device's command: I10).
   */
  recordOutcome(outcome: OutcomeRecord): Promise<boolean>;
  /** With its latest outcome. Undefined when unknown. */
  findCommand(commandId: string): Promise<CommandView | undefined>;
  /**
   * The client's commands to all products, newest first, behind `after`, at most `limit` (1..1000). Those to products that it is not
   * associated with any more are among them, or one reading could go through all its commands.
   */
  commandsOf(clientId: string, after: CommandPosition | undefined, limit: number): Promise<ListedCommand[]>;
  /** The same of its commands to one product. */
  commandsTo(
    productLogin: string,
    clientId: string,
    after: CommandPosition | undefined,
    limit: number,
  ): Promise<CommandView[]>;
  /** Hot path: what the command asks for, if it is open and of this product. */
  findOpen(productLogin: string, commandId: string): Promise<AskedCommand | undefined>;
  /** The product's open commands, newest first, at most `limit`. */
  openCommands(productLogin: string, limit: number): Promise<OpenCommand[]>;
  /** After the start of the only server: all pending commands become `unknown`, whatever node recorded them. Resolves with how many. */
  interruptPending(atMs: number): Promise<number>;
  /** The ids of pending commands, oldest first, at most `limit`. `node`: those of this node, and of nodes whose lease is over. */
  pendingCommands(limit: number, node?: string): Promise<string[]>;
  /** Those of them that are still pending become `unknown`. Resolves with how many. */
  interruptCommands(commandIds: readonly string[], atMs: number): Promise<number>;
}

/** A key of the client, which stands for at most one execution. */
export interface Idempotency {
  /** 1 to IDEMPOTENCY_KEY_MAX_CHARS printable characters. */
  key: string;
  /** What the key stands for. */
  requestHash: string;
  /** The command that the key stood for, and that has moved nothing. Null: the key is new. */
  insteadOf: string | null;
}

export interface KeyedCommand {
  commandId: string;
  requestHash: string;
  outcome: CommandOutcome;
  reason: string | null;
  /** Since the key came first, on the database's clock. */
  ageMs: number;
}

export interface CommandRecord {
  /** UUID version 7. */
  commandId: string;
  productLogin: string;
  clientId: string;
  numOutput: number;
  action: 'set' | 'toggle';
  state: OutputState | null;
  acceptedAtMs: number;
  /** The device's boot while the link was up at acceptance, else null. */
  bootId: string | null;
  /** `expired` if no link was up, so that the command was never sent. */
  outcome: Extract<CommandOutcome, 'pending' | 'expired'>;
  reason: string | null;
  idempotency?: Idempotency;
  /** The instance of the node that takes it. Absent: the only node. */
  node?: string;
}

/** What a command asks for, as far as the device's answer depends on it. */
export type AskedCommand = Pick<CommandRecord, 'commandId' | 'numOutput' | 'action'>;

/** The outcome of a command that was recorded as pending. `unknown` may be followed by another one. */
export type ResolvedOutcome = Exclude<CommandOutcome, 'pending'>;

export interface OutcomeRecord {
  commandId: string;
  productLogin: string;
  outcome: ResolvedOutcome;
  reason: string | null;
  resolvedAtMs: number;
  /** The state that the device reported with the outcome. */
  observed: ObservedState | null;
}

export interface CommandView extends Omit<CommandRecord, 'bootId' | 'outcome' | 'node' | 'idempotency'> {
  outcome: CommandOutcome;
  resolvedAtMs: number | null;
}

/** A command of a list, and whether its client is associated with the product. */
export interface ListedCommand extends CommandView {
  associated: boolean;
}

/** Where a command stands in a list. `commandId` decides where two were accepted in the same ms. */
export type CommandPosition = Pick<CommandView, 'acceptedAtMs' | 'commandId'>;

export interface OpenCommand {
  commandId: string;
  /** The boot of the device that it may have been sent to; null: it was not sent. */
  bootId: string | null;
}
