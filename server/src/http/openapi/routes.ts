import { Router } from 'express';
import { methodNotAllowed } from '../error-handler';
import { openApiDocument } from './document';

/** `/openapi.json`: the document, with the server's own address in it. */
export function openApiRoutes(version: string, url: string | undefined): Router {
  // One buffer for all answers: clients that do not read theirs hold no copies.
  const body = Buffer.from(JSON.stringify(openApiDocument(version, url)));
  const router = Router({ caseSensitive: true, strict: true });
  router
    .route('/openapi.json')
    .get((_request, response) => void response.type('application/json; charset=utf-8').send(body))
    .all(methodNotAllowed('GET', 'HEAD'));
  return router;
}
