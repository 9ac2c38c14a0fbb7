import { RelaygateError } from '@relaygate/shared';

/** So many units in so many seconds. */
export interface Limit {
  name: string;
  quota: number;
  windowSeconds: number;
}

/** `too-many-requests`, with the limit that its answer names. */
export class ExceededLimit extends RelaygateError {
  readonly limit: Limit;

  constructor(limit: Limit, retryAfterSeconds: number, about: { message?: string; cause?: unknown }) {
    super('too-many-requests', about.message, { retryAfterSeconds, cause: about.cause });
    this.limit = limit;
  }
}
