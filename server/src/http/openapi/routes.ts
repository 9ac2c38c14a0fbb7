import { Router } from 'express';
import { methodNotAllowed } from '../error-handler';
import { openApiDocument } from './document';

/** `/openapi.json`: the document, with the server's own address in it. */
export function openApiRoutes(version: string, url: string | undefined): Router {
  const text = JSON.stringify(openApiDocument(version, url));
  const router = Router({ caseSensitive: true, strict: true });
  router
    .route('/openapi.json')
    .get((_request, response) => void response.type('application/json; charset=utf-8').send(text))
    .all(methodNotAllowed('GET', 'HEAD'));
  return router;
}
