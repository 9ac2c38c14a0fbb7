import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { isSecret } from './secret-text';

export const REQUEST_ID = 'Request-Id';
/** What a client or proxy may choose. */
const CHOSEN = /^[A-Za-z0-9._-]{1,64}$/;

/** A random name for a request that has none. */
export function newRequestId(): string {
  return randomUUID();
}

/** Names the request in its answer, whatever that will be: as its own `Request-Id` says, if that is a short token and no secret. */
export function nameRequest({ headers }: IncomingMessage, response: ServerResponse): void {
  const chosen = headers['request-id'];
  const isTaken = typeof chosen === 'string' && CHOSEN.test(chosen) && !isSecret(chosen);
  response.setHeader(REQUEST_ID, isTaken ? chosen : newRequestId());
}

/** For the log. */
export function requestIdOf(response: ServerResponse): { requestId: unknown } {
  return { requestId: response.getHeader(REQUEST_ID) };
}
