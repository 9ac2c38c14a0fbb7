import { Router } from 'express';
import type { Readiness } from '../upkeep/readiness';
import { sendJson } from './answers';
import { methodNotAllowed } from './error-handler';

/** `/healthz`: the process answers. `/readyz`: the server can do its work; if not, 503 with the problems. A warning is no problem. */
export function healthRoutes(readiness: Pick<Readiness, 'problems' | 'warnings'>): Router {
  const router = Router({ caseSensitive: true, strict: true });
  router
    .route('/healthz')
    .get((_request, response) => sendJson(response, { status: 'ok' }))
    .all(methodNotAllowed('GET', 'HEAD'));
  router
    .route('/readyz')
    .get(async (_request, response) => {
      const problems = await readiness.problems();
      const warnings = await readiness.warnings();
      if (problems.length === 0) sendJson(response, { status: 'ready', ...(warnings.length > 0 && { warnings }) });
      else {
        const [codes, texts] = [problems.map(({ code }) => code), problems.map(({ text }) => text)];
        sendJson(response, { status: 'not-ready', codes, problems: texts }, 503);
      }
    })
    .all(methodNotAllowed('GET', 'HEAD'));
  return router;
}
