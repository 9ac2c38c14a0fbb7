import { RelaygateError } from '@relaygate/shared';
import { type RequestHandler, Router } from 'express';
import { bearer } from './bearer';
import { deprecated, successorPath } from './deprecation';
import { methodNotAllowed } from './error-handler';
import type { Operation, ServeDeps } from './operation';
import { OPERATIONS } from './operations';
import { jsonBody } from './request-body';

export interface ApiRoutesDeps extends ServeDeps {
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
      route[method](...(open ? [] : [authenticated]), ...(body ? [jsonBody] : []), operation.serve(deps));
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
