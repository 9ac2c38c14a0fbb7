import { RelaygateError } from '@relaygate/shared';
import { type Request, type RequestHandler, type Response, Router } from 'express';
import type { Actions } from '../actions';
import { bearer, type OnAuthenticated } from './bearer';
import type { AddressOf } from './client-address';
import { deprecated, successorPath } from './deprecation';
import { methodNotAllowed } from './error-handler';
import type { Call, Operation } from './operation';
import { OPERATIONS } from './operations';
import { jsonBody } from './request-body';

export interface ApiRoutesDeps {
  actions: Actions;
  addressOf: AddressOf;
  onAuthenticated: OnAuthenticated;
  /** Unix seconds, for the Deprecation header. */
  legacyDeprecatedAt: string;
}

/** A route for each operation, in their order; a path with operations answers other methods with 405. */
export function apiRoutes(deps: ApiRoutesDeps): Router {
  const router = Router({ caseSensitive: true, strict: true });
  const authenticated = bearer(deps.actions, deps.onAuthenticated);
  router.use('/api/v1', refuseUndecodablePath(authenticated));
  for (const [path, operations] of byPath(OPERATIONS)) {
    const route = router.route(path.replace(/\{(\w+)\}/g, ':$1'));
    const [{ successor } = {}] = operations;
    if (successor !== undefined) route.all(deprecated(deps.legacyDeprecatedAt, successorPath(successor)));
    for (const operation of operations) {
      const { method, open, body } = operation;
      route[method](...(open ? [] : [authenticated]), ...(body ? [jsonBody] : []), handlerOf(operation, deps));
    }
    route.all(methodNotAllowed(...operations.flatMap(({ method }) => METHODS[method])));
  }
  return router;
}

/** Express answers HEAD where it answers GET. */
const METHODS = { get: ['GET', 'HEAD'], post: ['POST'], patch: ['PATCH'], delete: ['DELETE'] } as const;

function byPath(operations: readonly Operation[]): Map<string, Operation[]> {
  const paths = new Map<string, Operation[]>();
  for (const operation of operations) paths.set(operation.path, [...(paths.get(operation.path) ?? []), operation]);
  return paths;
}

function handlerOf(operation: Operation, deps: ApiRoutesDeps): RequestHandler {
  return async (request, response) => {
    await operation.serve(request.body, new RequestCall(request, response, deps), response);
    if (operation.open) deps.onAuthenticated(request);
  };
}

/** Address and client are looked up only if the handler reads them. */
class RequestCall implements Call {
  readonly actions: Actions;
  readonly #request: Request;
  readonly #response: Response;
  readonly #addressOf: AddressOf;

  constructor(request: Request, response: Response, { actions, addressOf }: ApiRoutesDeps) {
    this.actions = actions;
    this.#request = request;
    this.#response = response;
    this.#addressOf = addressOf;
  }

  get address(): string {
    return this.#addressOf(this.#request);
  }

  get clientId(): string {
    const clientId: unknown = this.#response.locals.clientId;
    if (typeof clientId !== 'string') throw new Error('the operation is open, but its handler asks for the client');
    return clientId;
  }

  /** Without `this`: handlers take it out of the call. */
  readonly param = (name: string): string => {
    const value = this.#request.params[name];
    if (typeof value !== 'string') throw new Error(`the path has no parameter ${name}`);
    return value;
  };
}

/** Express would refuse a path like `%zz` before the token is checked, but 401 comes first. */
function refuseUndecodablePath(authenticated: RequestHandler): RequestHandler {
  return (request, response, next) => {
    try {
      decodeURIComponent(request.path);
      next();
    } catch {
      const refuse = (error?: unknown): void => next(error ?? new RelaygateError('invalid-params'));
      Promise.resolve(authenticated(request, response, refuse)).catch(next);
    }
  };
}
