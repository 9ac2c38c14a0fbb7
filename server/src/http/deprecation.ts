import type { RequestHandler, Response } from 'express';

export interface SuccessorValues {
  productLogin: string;
  numOutput: number | string;
}

/** Stand-ins while the request's values are not known: the names in percent-encoded braces. */
export const UNKNOWN_VALUES: SuccessorValues = { productLogin: '{productLogin}', numOutput: '{numOutput}' };

/** The path in v1 that does the same, root-relative (contract section 9). */
export type Successor = (values: SuccessorValues) => string;

export const SUCCESSORS = {
  login: () => '/api/v1/auth/login',
  refresh: () => '/api/v1/auth/refresh',
  products: () => '/api/v1/products',
  product: ({ productLogin }) => `/api/v1/products/${segment(productLogin)}`,
  state: ({ productLogin }) => `/api/v1/products/${segment(productLogin)}/state`,
  output: ({ productLogin, numOutput }) => `/api/v1/products/${segment(productLogin)}/outputs/${segment(numOutput)}`,
  toggle: ({ productLogin, numOutput }) =>
    `/api/v1/products/${segment(productLogin)}/outputs/${segment(numOutput)}/toggle`,
} satisfies Record<string, Successor>;

/** Marks every answer of a legacy path as deprecated (RFC 9745), errors included. `deprecatedAt`: Unix seconds. */
export function deprecated(deprecatedAt: string, successor: Successor): RequestHandler {
  return (_request, response, next) => {
    response.set('Deprecation', `@${deprecatedAt}`);
    // A 401 tells nothing of the request, not even back to who sent it.
    response.locals.successorUnknown = successor(UNKNOWN_VALUES);
    linkSuccessor(response, response.locals.successorUnknown);
    next();
  };
}

export function linkSuccessor(response: Response, path: string): void {
  response.set('Link', `<${path}>; rel="successor-version"`);
}

/** Percent-encoded; a lone surrogate, which JSON can hold and UTF-8 cannot, becomes U+FFFD. */
function segment(value: string | number): string {
  return encodeURIComponent(String(value).toWellFormed());
}
