import type { IncomingMessage } from 'node:http';
import { RelaygateError } from '@relaygate/shared';
import type { RequestHandler, Response } from 'express';
import type { Actions } from './actions';

/** RFC 6750 section 2.1; the scheme's case does not matter. */
const BEARER = /^Bearer +([A-Za-z0-9._~+/-]+=*) *$/i;

/** Is told of each request whose sender has shown who they are. */
export type Known = (request: IncomingMessage) => void;

/** Lets a request through that carries a valid access token, before its body is read; else `bad-token`. */
export function bearer(actions: Pick<Actions, 'clientOf'>, known: Known): RequestHandler {
  return async (request, response, next) => {
    response.locals.takesBearer = true;
    const token = BEARER.exec(authorizationOf(request) ?? '')?.[1];
    if (token === undefined) throw new RelaygateError('bad-token');
    response.locals.clientId = await actions.clientOf(token);
    known(request);
    next();
  };
}

/** Node keeps the first of two; a proxy before us may have looked at the other one, so both count for nothing. */
function authorizationOf({ headersDistinct: { authorization = [] } }: IncomingMessage): string | undefined {
  return authorization.length === 1 ? authorization[0] : undefined;
}

/** The client that `bearer` let in. */
export function clientIdOf(response: Response): string {
  const clientId: unknown = response.locals.clientId;
  if (typeof clientId !== 'string') throw new Error('a route asks for its client but takes no bearer token');
  return clientId;
}
