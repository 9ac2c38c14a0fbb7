import { type ErrorCode, isProductLogin, statusOf } from '@relaygate/shared';
import type { Express, Request, Response } from 'express';
import { parseClientKey } from '../clients/client-key';
import type { LogFields } from '../log/log';
import type { RefusalLog } from '../log/refusal-log';
import type { AddressOf } from './client-address';
import { requestIdOf } from './request-id';
import { isSecret } from './secret-text';

const PATH_MAX_CHARS = 100;

export interface RefusalLogging {
  refusals: RefusalLog;
  addressOf: AddressOf;
  /** Paths of the API, with parameters in braces. The log shows them instead of the requested path. */
  paths: readonly string[];
}

interface Route {
  path: string;
  pattern: RegExp;
}

/** Lets `noteRefusal` log the refused requests of this application. */
export function logRefusals(app: Express, { refusals, addressOf, paths }: RefusalLogging): void {
  const routes = paths.map((path) => ({
    path,
    pattern: new RegExp(`^${path.replace(/\{(\w+)\}/g, '(?<$1>[^/]+)')}$`),
  }));
  app.locals.noteRefusal = (response: Response, code: ErrorCode): void =>
    refusals.note(code, addressOf(response.req), () => detailsOf(response, routes));
}

/** Logs a refused request (4xx). Failures of the server (5xx) are logged where they happen. */
export function noteRefusal(response: Response, code: ErrorCode): void {
  if (statusOf(code) < 500) response.app.locals.noteRefusal?.(response, code);
}

/** Who asked for what, as far as it is known and not secret. */
function detailsOf(response: Response, routes: readonly Route[]): LogFields {
  const request = response.req;
  const path = request.baseUrl + request.path;
  const route = routeOf(path, routes);
  const productLogin = loginOf(route?.productLogin ?? bodyTextOf(request, 'productLogin'));
  const clientId: unknown = response.locals.clientId;
  const keyId = parseClientKey(bodyTextOf(request, 'clientKey') ?? '')?.keyId;
  return {
    ...requestIdOf(response),
    method: request.method,
    path: route?.path ?? withoutSecrets(path),
    ...(typeof clientId === 'string' ? { clientId } : {}),
    ...(keyId === undefined ? {} : { keyId }),
    ...(productLogin === undefined ? {} : { productLogin }),
  };
}

function routeOf(
  path: string,
  routes: readonly Route[],
): { path: string; productLogin: string | undefined } | undefined {
  for (const route of routes) {
    const match = route.pattern.exec(path);
    if (match) return { path: route.path, productLogin: match.groups?.productLogin };
  }
  return undefined;
}

/** Undefined if the text is no login, or if it is a product key that somebody sent in its place. */
function loginOf(text: string | undefined): string | undefined {
  return text !== undefined && isProductLogin(text) && !isSecret(text) ? text : undefined;
}

function bodyTextOf({ body }: Request, name: string): string | undefined {
  const value: unknown = typeof body === 'object' && body !== null ? body[name] : undefined;
  return typeof value === 'string' ? value : undefined;
}

/** For the log: a path may hold anything. */
export function withoutSecrets(path: string): string {
  const segments = path.split('/').map((segment) => (isSecret(decoded(segment)) ? '***' : segment));
  return segments.join('/').slice(0, PATH_MAX_CHARS);
}

function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}
