import { RelaygateError } from '@relaygate/shared';
import express, { type Express, type RequestHandler } from 'express';
import type { Log } from '../log';
import type { RefusalLog } from '../refusal-log';
import { VERSION } from '../version';
import type { Actions } from './actions';
import type { Known } from './bearer';
import type { AddressOf } from './client-address';
import { errorHandler } from './error-handler';
import { healthRoutes } from './health-routes';
import { legacyRoutes } from './legacy-routes';
import { openApiRoutes } from './openapi/routes';
import { logRefusals } from './refusals';
import { v1Routes } from './v1-routes';

export interface HttpAppParts {
  actions: Actions;
  log: Log;
  /** Unix seconds, for the Deprecation header. */
  legacyDeprecatedAt: string;
  addressOf: AddressOf;
  refusals: RefusalLog;
  known: Known;
  /** Where applications reach the server; undefined when nobody said. */
  publicUrl: string | undefined;
}

/** The HTTP API as an Express application; http-server.ts listens. */
export function httpApp(parts: HttpAppParts): Express {
  const { actions, log, legacyDeprecatedAt, addressOf, refusals, known, publicUrl } = parts;
  const app = express();
  logRefusals(app, refusals, addressOf);
  app.disable('x-powered-by');
  app.disable('etag');
  app.set('query parser', false);
  app.set('case sensitive routing', true);
  app.set('strict routing', true);
  // The commands' way first: a router that does not know a path hands it on in another turn of the event loop.
  app.use('/api', neverStored);
  app.use('/api/v1', v1Routes(actions, addressOf, known));
  app.use('/api', legacyRoutes(actions, addressOf, known, legacyDeprecatedAt));
  app.use(healthRoutes(actions));
  app.use(openApiRoutes(VERSION, publicUrl));
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
