import { isUtf8 } from 'node:buffer';
import { MAX_BODY_BYTES, RelaygateError } from '@relaygate/shared';
import express, { type RequestHandler } from 'express';

const JSON_TYPE = /^application\/json *(;|$)/i;

/**
 * Reads a JSON object or array into `request.body`; undefined if the request has no body. Other content, another character
 * set, broken UTF-8 and a compressed body fail with `invalid-params`, a body that is too large with `payload-too-large`.
 */
export const jsonBody: RequestHandler = (request, response, next) =>
  parseJson(request, response, (problem?: unknown) => {
    // The request is already answered as unreadable, or its client has gone before it was complete: it must not run.
    if (!response.writableEnded && !request.socket.destroyed) next(problem);
  });

const parseJson = express.json({
  limit: MAX_BODY_BYTES,
  strict: true,
  inflate: false,
  type: () => true,
  verify(request, _response, bytes, encoding) {
    if (bytes.length === 0) return;
    const isJson = JSON_TYPE.test(request.headers['content-type'] ?? '');
    // The parser would replace bytes that are not UTF-8.
    if (!isJson || encoding !== 'utf-8' || !isUtf8(bytes)) throw new RelaygateError('invalid-params');
  },
});
