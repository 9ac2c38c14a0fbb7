import { Router } from 'express';
import { sendJson } from './answers';
import { methodNotAllowed } from './error-handler';

const LINKS = { openapi: '/openapi.json', docs: '/docs', health: '/healthz' };

/** Where somebody who has only the address of the server looks first: `/` leads to the page for people, `/api` names what there is. */
export function entryRoutes(): Router {
  const router = Router({ caseSensitive: true, strict: true });
  router
    .route('/')
    .get((_request, response) => void response.writeHead(302, { Location: LINKS.docs }).end())
    .all(methodNotAllowed('GET', 'HEAD'));
  router
    .route('/api')
    .get((_request, response) => sendJson(response, LINKS))
    .all(methodNotAllowed('GET', 'HEAD'));
  return router;
}
