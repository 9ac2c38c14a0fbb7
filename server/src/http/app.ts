import { RelaygateError } from '@relaygate/shared';
import express, { type Express, type RequestHandler } from 'express';
import type { Log } from '../log/log';
import type { RefusalLog } from '../log/refusal-log';
import type { Readiness } from '../upkeep/readiness';
import { VERSION } from '../version';
import { type ApiRoutesDeps, apiRoutes } from './api-routes';
import { crossOrigin } from './cross-origin';
import type { DocsFile } from './docs/docs-files';
import { docsRoutes } from './docs/docs-routes';
import { entryRoutes } from './entry-routes';
import { errorHandler } from './error-handler';
import { healthRoutes } from './health-routes';
import { openApiRoutes } from './openapi/routes';
import { OPERATIONS } from './operations';
import { logRefusals } from './refusals';

export interface HttpAppDeps extends ApiRoutesDeps {
  log: Log;
  refusals: RefusalLog;
  readiness: Pick<Readiness, 'problems' | 'warnings'>;
  /** The address that applications use; undefined if it is not set. */
  publicUrl: string | undefined;
  /** By their paths; none if they are not shown. */
  docs: ReadonlyMap<string, DocsFile>;
  /** Whose pages may read answers. */
  corsOrigins: readonly string[];
}

/** The HTTP API as an Express application; http-server.ts listens. */
export function httpApp({ log, refusals, readiness, publicUrl, docs, corsOrigins, ...deps }: HttpAppDeps): Express {
  const app = express();
  logRefusals(app, { refusals, addressOf: deps.addressOf, paths: OPERATIONS.map(({ path }) => path) });
  app.disable('x-powered-by');
  app.disable('etag');
  app.set('query parser', false);
  app.set('case sensitive routing', true);
  app.set('strict routing', true);
  // The API comes first, because a router passes an unknown path on in another turn of the event loop.
  app.use('/api', neverStored);
  if (corsOrigins.length > 0) app.use(crossOrigin(corsOrigins));
  app.use(apiRoutes(deps));
  app.use(healthRoutes(readiness));
  app.use(openApiRoutes(VERSION, publicUrl));
  app.use(docsRoutes(docs));
  app.use(entryRoutes(docs.has('/docs') ? '/docs' : undefined));
  app.use(() => {
    throw new RelaygateError('not-found');
  });
  app.use(errorHandler(log));
  return app;
}

const neverStored: RequestHandler = (_request, response, next) => {
  response.setHeader('Cache-Control', 'no-store');
  response.setHeader('X-Content-Type-Options', 'nosniff');
  next();
};
