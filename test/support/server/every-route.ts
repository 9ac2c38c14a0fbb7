import type { Operation } from '@relaygate/server/http/operation';
import { OPERATIONS } from '@relaygate/server/http/operations';

/** An operation of either generation, for tests that go over all of them. */
export interface Route {
  readonly name: string;
  readonly generation: 'legacy' | 'v1';
  readonly method: 'POST' | 'PATCH' | 'GET' | 'DELETE';
  /** Below /api; the values go into it as they are, percent-encoded by the caller. */
  path(productLogin: string, numOutput: string): string;
  readonly takesBody: boolean;
  /** Wrong keys are counted, and answered with 429 in the end. */
  readonly takesProductKey: boolean;
  /** No access token is needed. */
  readonly open: boolean;
}

const METHODS = { get: 'GET', post: 'POST', patch: 'PATCH', delete: 'DELETE' } as const;

function routeOf({ method, path, successor, body, open }: Operation): Route {
  return {
    name: `${METHODS[method]} ${path}`,
    generation: successor === undefined ? 'v1' : 'legacy',
    method: METHODS[method],
    path: (productLogin, numOutput) =>
      path
        .replace(/^\/api/, '')
        .replace('{numOutput}', () => numOutput)
        .replace(/\{\w+\}/, () => productLogin),
    takesBody: body !== undefined,
    takesProductKey: Object.hasOwn(body?.schema.properties ?? {}, 'productKey'),
    open: open === true,
  };
}

export const EVERY_ROUTE: readonly Route[] = OPERATIONS.map(routeOf);
