import { Router } from 'express';
import { methodNotAllowed } from '../error-handler';
import { openApiDocument } from './document';

/** `/openapi.json`: the OpenAPI document, with the server's address in it. */
export function openApiRoutes(version: string, url: string | undefined): Router {
  // One buffer for all answers, so that unread answers hold no copies.
  const body = Buffer.from(JSON.stringify(openApiDocument(version, url)));
  const router = Router({ caseSensitive: true, strict: true });
  router
    .route('/openapi.json')
    .get((_request, response) => void response.type('application/json; charset=utf-8').send(body))
    .all(methodNotAllowed('GET', 'HEAD'));
  return router;
}
