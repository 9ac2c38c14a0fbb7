import type { IncomingMessage } from 'node:http';
import { RelaygateError } from '@relaygate/shared';
import type { RequestHandler, Response } from 'express';
import type { Actions } from '../actions';

/** RFC 6750 section 2.1; the scheme's case does not matter. */
const BEARER = /^Bearer +([A-Za-z0-9._~+/-]+=*) *$/i;

/** Called for each request that carries a valid token or key. */
export type OnAuthenticated = (request: IncomingMessage) => void;

/** Checks the access token before the body is read. Fails with `bad-token`. */
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
function authorizationOf({ headersDistinct: { authorization = [] } }: IncomingMessage): string | undefined {
  return authorization.length === 1 ? authorization[0] : undefined;
}

/** The client that `bearer` has authenticated. */
export function clientIdOf(response: Response): string {
  const clientId: unknown = response.locals.clientId;
  if (typeof clientId !== 'string') throw new Error('the operation is open, but its handler asks for the client');
  return clientId;
}
