import type { IncomingMessage } from 'node:http';
import { RelaygateError } from '@relaygate/shared';
import type { RequestHandler } from 'express';
import type { Actions } from '../actions';

/** RFC 6750 section 2.1; the scheme's case does not matter. */
const BEARER = /^Bearer +([A-Za-z0-9._~+/-]+=*) *$/i;

/** Called for each request that carries a valid token or key. */
export type OnAuthenticated = (request: IncomingMessage) => void;

/** Checks the access token before the body is read, and notes its client in `response.locals`. Fails with `bad-token`. */
export function bearer(actions: Pick<Actions, 'clientOf'>, onAuthenticated: OnAuthenticated): RequestHandler {
  return async (request, response, next) => {
    response.locals.takesBearer = true;
    const token = BEARER.exec(authorizationOf(request) ?? '')?.[1];
    if (token === undefined) throw new RelaygateError('bad-token');
    response.locals.clientId = await actions.clientOf(token);
    onAuthenticated(request);
    next();
  };
}

/** Two headers count as none: Node reads the first one, but a proxy may have checked the second. */
function authorizationOf({ rawHeaders }: IncomingMessage): string | undefined {
  let found: string | undefined;
  // `headersDistinct` would take all headers apart, for each request.
  for (let n = 0; n < rawHeaders.length; n += 2) {
    if (rawHeaders[n]?.toLowerCase() !== 'authorization') continue;
    if (found !== undefined) return undefined;
    found = rawHeaders[n + 1];
  }
  return found;
}
