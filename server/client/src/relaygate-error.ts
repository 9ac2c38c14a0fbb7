import type { ErrorCode } from './api-types';

/**
 * The document's codes, and those of the client: `network` (no answer, or one of a proxy that has none), `timed-out`
 * (no answer in time), `aborted` (by an AbortSignal), `unexpected-answer` (whatever answered is no Relaygate server).
 */
export type ClientErrorCode = ErrorCode | 'network' | 'timed-out' | 'aborted' | 'unexpected-answer';

export interface ErrorDetails {
  status?: number | undefined;
  commandId?: string | undefined;
  retryAfterMs?: number | undefined;
  mayHaveMoved?: boolean | undefined;
  cause?: unknown;
}

/** Why a call failed. A newer server may have codes that are not in the type. */
export class RelaygateError extends Error {
  override readonly name = 'RelaygateError';
  readonly code: ClientErrorCode;
  /** Of the last answer, if there was one. */
  readonly status: number | undefined;
  /** Ask `client.command(commandId)` what became of it. */
  readonly commandId: string | undefined;
  /** When the server wants to be asked again, at the earliest. */
  readonly retryAfterMs: number | undefined;
  /** False: certainly no output moved for this call, or will. True: one may have moved, or may within the next 5 s. */
  readonly mayHaveMoved: boolean;

  constructor(
    code: ClientErrorCode,
    { status, commandId, retryAfterMs, mayHaveMoved = false, cause }: ErrorDetails = {},
  ) {
    super(status === undefined ? code : `${code} (HTTP status ${status})`, { cause });
    this.code = code;
    this.status = status;
    this.commandId = commandId;
    this.retryAfterMs = retryAfterMs;
    this.mayHaveMoved = mayHaveMoved;
  }
}

/** Undefined: it is no error of this client's. */
export function codeOf(error: unknown): RelaygateError['code'] | undefined {
  return error instanceof RelaygateError ? error.code : undefined;
}
