import type { ErrorCode } from './errors';

export type { ErrorCode } from './errors';

export interface RelaygateErrorOptions extends ErrorOptions {
  /** With `too-many-requests`: whole seconds, at least 1. */
  retryAfterSeconds?: number;
}

/** The error class of the project: a code of the table, a sentence for people, and the cause if there is one. */
export class RelaygateError extends Error {
  readonly code: ErrorCode;
  readonly retryAfterSeconds: number | undefined;

  constructor(code: ErrorCode, message: string = meaningOf(code), options?: RelaygateErrorOptions) {
    super(message, options);
    this.name = 'RelaygateError';
    this.code = code;
    this.retryAfterSeconds = options?.retryAfterSeconds;
  }
}

/** The table is loaded for an error without a sentence of its own. */
function meaningOf(code: ErrorCode): string {
  // biome-ignore lint/style/noRestrictedGlobals: loaded where it is needed only.
  const { ERRORS }: typeof import('./errors') = require('./errors');
  return ERRORS[code].meaning;
}
