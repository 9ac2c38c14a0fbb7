import { Router } from 'express';
import { sendJson } from './answers';
import { methodNotAllowed } from './error-handler';

const OPENAPI = '/openapi.json';

/**
 * Where somebody who has only the address of the server looks first: `/` leads to the page for people, `/api` names what there is.
 * `docs`: the path of that page; the OpenAPI document stands in if the page is not shown.
 */
export function entryRoutes(docs: '/docs' | undefined): Router {
  const links = { openapi: OPENAPI, ...(docs && { docs }), health: '/healthz' };
  const router = Router({ caseSensitive: true, strict: true });
  router
    .route('/')
    .get((_request, response) => void response.writeHead(302, { Location: docs ?? OPENAPI }).end())
    .all(methodNotAllowed('GET', 'HEAD'));
  router
    .route('/api')
    .get((_request, response) => sendJson(response, links))
    .all(methodNotAllowed('GET', 'HEAD'));
  return router;
}
