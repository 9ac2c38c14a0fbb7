import type { RequestHandler, Response } from 'express';

/**
 * The v1 path that does the same, root-relative (contract section 9). A parameter that `values` lacks remains as its name in
 * braces, percent-encoded.
 */
export function successorPath(template: string, values: unknown = {}): string {
  const known = new Map<string, unknown>(Object.entries(values ?? {}));
  return template.replace(/\{(\w+)\}/g, (braces, name) => segment(String(known.get(name) ?? braces)));
}

/** Marks every answer of a legacy path as deprecated (RFC 9745), errors included. `deprecatedAt`: Unix seconds. */
export function deprecated(deprecatedAt: string, successor: string): RequestHandler {
  return (_request, response, next) => {
    response.set('Deprecation', `@${deprecatedAt}`);
    // A 401 shows nothing of the request, not even to its sender.
    response.locals.successorUnknown = successor;
    linkSuccessor(response, successor);
    next();
  };
}

/** Names the successor of a legacy path in `Link`. */
export function linkSuccessor(response: Response, path: string): void {
  response.set('Link', `<${path}>; rel="successor-version"`);
}

/** Percent-encoded. JSON can hold a lone surrogate, but UTF-8 cannot: it becomes U+FFFD. */
function segment(value: string): string {
  return encodeURIComponent(value.toWellFormed());
}
