import { type RequestHandler, Router } from 'express';
import { methodNotAllowed } from '../error-handler';
import type { DocsFile } from './docs-files';

/** Nothing from elsewhere, no code and no style but the files of `/docs`, and no frame around them. */
const SECURITY_HEADERS = {
  'Content-Security-Policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; " +
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'X-Content-Type-Options': 'nosniff',
  'X-Frame-Options': 'DENY',
  'Referrer-Policy': 'no-referrer',
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Permissions-Policy': 'camera=(), geolocation=(), microphone=()',
};

/** `/docs`: the interactive reference, its guide, and what both load. */
export function docsRoutes(files: ReadonlyMap<string, DocsFile>): Router {
  const router = Router({ caseSensitive: true, strict: true });
  for (const [path, file] of files) router.route(path).get(sendFile(file)).all(methodNotAllowed('GET', 'HEAD'));
  return router;
}

/** Express leaves the body out of the answer to HEAD, and answers 304 to those who have the file already. */
function sendFile({ body, gzip, contentType, etag, immutable }: DocsFile): RequestHandler {
  return (request, response) => {
    response.set(SECURITY_HEADERS);
    response.set('Cache-Control', immutable ? 'public, max-age=31536000, immutable' : 'no-cache');
    response.set('ETag', etag);
    response.vary('Accept-Encoding');
    response.type(contentType);
    const isPacked = request.acceptsEncodings('gzip', 'identity') === 'gzip';
    if (isPacked) response.set('Content-Encoding', 'gzip');
    response.send(isPacked ? gzip : body);
  };
}
