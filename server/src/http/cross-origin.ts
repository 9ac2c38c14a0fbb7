import type { RequestHandler } from 'express';
import { sendEmpty } from './answers';

const METHODS = 'GET, HEAD, POST, PATCH, DELETE';
const REQUEST_HEADERS = 'Authorization, Content-Type, Idempotency-Key, Request-Id';
const ANSWER_HEADERS = [
  ...['Command-Id', 'Idempotent-Replayed', 'Request-Id', 'Retry-After', 'RateLimit', 'RateLimit-Policy'],
  ...['Link', 'Deprecation', 'WWW-Authenticate'],
].join(', ');
/** How long a browser need not ask again. */
const PREFLIGHT_SECONDS = 600;

/**
 * Lets pages of these origins read answers, and answers what their browsers ask before (CORS). Never with credentials: an application
 * sends its token in a header. For other origins and programs nothing changes.
 */
export function crossOrigin(origins: readonly string[]): RequestHandler {
  const listed = new Set(origins);
  return (request, response, next) => {
    response.appendHeader('Vary', 'Origin');
    const { origin } = request.headers;
    if (origin === undefined || !listed.has(origin)) return next();
    response.setHeader('Access-Control-Allow-Origin', origin);
    response.setHeader('Access-Control-Expose-Headers', ANSWER_HEADERS);
    const isPreflight = request.method === 'OPTIONS' && 'access-control-request-method' in request.headers;
    if (!isPreflight) return next();
    response.setHeader('Access-Control-Allow-Methods', METHODS);
    response.setHeader('Access-Control-Allow-Headers', REQUEST_HEADERS);
    response.setHeader('Access-Control-Max-Age', PREFLIGHT_SECONDS);
    sendEmpty(response);
  };
}
