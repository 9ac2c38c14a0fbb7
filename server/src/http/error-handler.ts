import { RelaygateError } from '@relaygate/shared';
import type { ErrorRequestHandler, RequestHandler } from 'express';
import type { Log } from '../log/log';
import { sendError } from './answers';
import { requestIdOf } from './request-id';

/** Answers a failure with the contract's status and body. The answer shows no internal details; the log does. */
export function errorHandler(log: Log): ErrorRequestHandler {
  return (error: unknown, request, response, _next) => {
    const known = error instanceof RelaygateError ? error : fromLibrary(error);
    const named = { path: request.path, ...requestIdOf(response) };
    if (!known) log.error({ err: error, method: request.method, ...named }, 'request failed');
    else if (isOfStorage(known)) log.error({ err: known, ...named }, 'request failed');
    if (response.writableEnded) return;
    if (response.headersSent) return void request.socket.destroy();
    const code = known && !isOfStorage(known) ? known.code : 'unknown';
    sendError(response, code, known);
  };
}

function isOfStorage({ code }: RelaygateError): boolean {
  return code === 'storage-unavailable' || code === 'storage-unanswered';
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
