import type { ErrorCode, OutputState } from '@relaygate/shared';

/** What a client asks of an output. */
export type OutputAction = { action: 'set'; state: OutputState } | { action: 'toggle' };

/** An authorised command on its way to the owner of the product's link. */
export interface CommandOrder {
  clientId: string;
  productLogin: string;
  numOutput: number;
  action: OutputAction;
  /** Who gave it, for people at the device: at most BY_MAX_CHARS printable characters. */
  by?: string;
  /** No device is enrolled, so that none can link. */
  noDevice?: true;
}

/**
 * What the client is told. `commandId` is there once the command took the place; `isUnrecorded`: there is no record, or
 * perhaps none, so that the client is not told the id (header `Command-Id`).
 */
export type CommandAnswer =
  | { kind: 'ok'; commandId: string }
  | { kind: 'already-set'; commandId: string }
  | { kind: 'error'; code: ErrorCode; commandId?: string; isUnrecorded?: true };

/** The way to the single owner of a product's link: a function call on one node. */
export interface CommandRouter {
  dispatch(order: CommandOrder): Promise<CommandAnswer>;
}
