import { type RequestHandler, Router } from 'express';
import { sendJson } from './answers';
import { methodNotAllowed } from './error-handler';

const OPENAPI = '/openapi.json';

/**
 * Where somebody who has only the address of the server looks first: `/` leads to the page for people, `/api` names what there is.
 * `docs`: the path of that page; the OpenAPI document stands in if the page is not shown. A slash behind a page's path leads to it.
 */
export function entryRoutes(docs: '/docs' | undefined): Router {
  const links = { openapi: OPENAPI, ...(docs && { docs }), health: '/healthz' };
  const router = Router({ caseSensitive: true, strict: true });
  router
    .route('/')
    .get(leadTo(docs ?? OPENAPI))
    .all(methodNotAllowed('GET', 'HEAD'));
  router
    .route('/api')
    .get((_request, response) => sendJson(response, links))
    .all(methodNotAllowed('GET', 'HEAD'));
  for (const path of docs ? [docs, `${docs}/guide`] : [])
    router.route(`${path}/`).get(leadTo(path)).all(methodNotAllowed('GET', 'HEAD'));
  return router;
}

function leadTo(path: string): RequestHandler {
  return (_request, response) => void response.writeHead(302, { Location: path }).end();
}
