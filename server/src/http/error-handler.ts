import { RelaygateError, statusOf } from '@relaygate/shared';
import type { ErrorRequestHandler, RequestHandler } from 'express';
import type { Log } from '../log/log';
import { sendError } from './answers';
import { withoutSecrets } from './refusals';
import { requestIdOf } from './request-id';

/** Answers a failure with the contract's status and body. The answer shows no internal details; the log does. */
export function errorHandler(log: Log): ErrorRequestHandler {
  return (error: unknown, request, response, _next) => {
    const known = error instanceof RelaygateError ? error : fromLibrary(error);
    const code = known && statusOf(known.code) < 500 ? known.code : 'unknown';
    if (code === 'unknown') {
      const { method, path } = request;
      log.error(
        { err: known ?? error, method, path: withoutSecrets(path), ...requestIdOf(response) },
        'request failed',
      );
    }
    if (response.writableEnded) return;
    if (response.headersSent) return void request.socket.destroy();
    sendError(response, code, known);
  };
}

/** 405. */
export function methodNotAllowed(...allowed: string[]): RequestHandler {
  return (_request, response) => {
    response.set('Allow', allowed.join(', '));
    sendError(response, 'method-not-allowed');
  };
}

/** Express and its body parser put a `status` into their errors; the contract has a code for 413, and one for the other 4xx. */
function fromLibrary(error: unknown): RelaygateError | undefined {
  if (typeof error !== 'object' || error === null || !('status' in error) || typeof error.status !== 'number')
    return undefined;
  if (error.status === 413) return new RelaygateError('payload-too-large', undefined, { cause: error });
  return error.status >= 400 && error.status < 500
    ? new RelaygateError('invalid-params', undefined, { cause: error })
    : undefined;
}
