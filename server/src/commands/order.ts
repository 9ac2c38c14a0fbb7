import type { ErrorCode, OutputState } from '@relaygate/shared';
import type { LinkPresence } from '../devices/presence';
import type { Idempotency } from './command-store';

/** What a client asks of an output. */
export type OutputAction = { action: 'set'; state: OutputState } | { action: 'toggle' };

/** An authorised command on its way to the owner of the product's link. */
export interface CommandOrder {
  clientId: string;
  productLogin: string;
  numOutput: number;
  action: OutputAction;
  /** Its `Idempotency-Key`. */
  idempotency?: Idempotency;
  /**
   * Who gave it, for people at the device: at most BY_MAX_CHARS printable characters. Of another node: that has read the
   * authorisation, so the owner may leave it to the record.
   */
  by?: string;
  /** No device is enrolled, so none can link. */
  noDevice?: true;
  /** The node that had the product when the authorisation was read. */
  owner?: LinkPresence;
}

/**
 * The answer to the client. A command that acquired the slot has a `commandId`. `isUnrecorded`: the record is missing or in
 * doubt, so the client does not get the id (header `Command-Id`). `isElsewhere`: it certainly has none, because another node owns the
 * product. `isReplayed`: of the command that its key stands for already.
 */
export type CommandAnswer =
  | { kind: 'ok'; commandId: string; isReplayed?: true }
  | { kind: 'already-set'; commandId: string; isReplayed?: true }
  | { kind: 'error'; code: ErrorCode; commandId?: string; isUnrecorded?: true; isElsewhere?: true; isReplayed?: true };

/** `too-many`: the client's budget for this product is used up; nothing was recorded or sent. `waitMs`: until the next command may be. */
export type DispatchAnswer = CommandAnswer | { kind: 'too-many'; waitMs: number };

/** Passes a command to the owner of the product's link: on one node a function call. */
export interface CommandRouter {
  dispatch(order: CommandOrder): Promise<DispatchAnswer>;
}

/** A command on its way to another node. */
export interface RoutedCommand {
  commandId: string;
  order: CommandOrder;
  /** t0, on the monotonic clock of the node that reads this. */
  acceptedAtMs: number;
  /** Of the link that the node which took the call has seen. */
  epoch: number;
  /** From 1. A later attempt follows an earlier one that certainly no node took. */
  attempt: number;
}

/** Of a command that another node, or this one, has accepted: its id, and t0 on this node's clock. */
export type AcceptedCommand = Pick<RoutedCommand, 'commandId' | 'acceptedAtMs'>;

/**
 * `not-taken`: certainly no node has recorded the command, nor will for this attempt. `nobody`: nor is there a node of this name that
 * can be reached.
 */
export type RoutedAnswer = DispatchAnswer | { kind: 'not-taken' | 'nobody' };

/** Another node, which may hold the product's link. */
export interface OtherNode {
  /** Answers, or gives up, within ROUTE_TIMEOUT_MS of t0. Never rejects. */
  dispatch(command: RoutedCommand): Promise<RoutedAnswer>;
}

/** The way to the other nodes, which brings their commands here too. */
export interface NodeRouter {
  /** Another node; undefined when there is none of this name. */
  nodeOf(nodeName: string): OtherNode | undefined;
  /** False while no node can be reached. */
  readonly isConnected: boolean;
  /**
   * Takes no more commands of other nodes, waits at most `timeoutMs` until those at work are answered, then ends the connection
   * and all waits.
   */
  stop(timeoutMs: number): Promise<void>;
}

/** 500: the command certainly went to no node. */
export const NOT_ROUTED: CommandAnswer = { kind: 'error', code: 'unknown', isUnrecorded: true };
/** Certainly nothing was recorded: another node owns the product, or did a moment ago. */
export const ELSEWHERE = { kind: 'error', code: 'unknown', isUnrecorded: true, isElsewhere: true } as const;
/**
 * Another command of the product may still be at work (I6), here or of the node that had the product before; or one has the key of
 * this one.
 */
export const SLOT_TAKEN = { kind: 'error', code: 'request-already-pending', isUnrecorded: true } as const;
/** 504: the command may have reached its device. */
export const NO_ANSWER: CommandAnswer = { kind: 'error', code: 'device-timeout' };
