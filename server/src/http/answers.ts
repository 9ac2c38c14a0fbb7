import { type ErrorCode, type RelaygateError, statusOf } from '@relaygate/shared';
import type { Response } from 'express';
import type { CommandAnswer } from '../commands/order';
import { ExceededLimit } from '../limits/exceeded-limit';
import { prefersJson } from './accept';
import { linkSuccessor } from './deprecation';
import { parametersOf } from './query';
import { tellRateLimits } from './rate-limit';
import { noteRefusal } from './refusals';

/** The plain text `OK` of the contract. Express would send it as HTML. */
export function sendOk(response: Response, status: 200 | 201 = 200): void {
  sendText(response, status, 'text/plain; charset=utf-8', 'OK');
}

export function sendJson(response: Response, body: object, status = 200): void {
  sendText(response, status, 'application/json; charset=utf-8', JSON.stringify(body));
}

/** A page of a list. `next`: the cursor of the page that follows it, if one does. */
export interface Next {
  next?: string;
}

/** With a Link to the next page: the request's own path and query, root-relative, with the other cursor. */
export function sendPage(response: Response, page: Next): void {
  if (page.next !== undefined) {
    const { originalUrl, path } = response.req;
    const parameters = parametersOf(originalUrl);
    parameters.set('cursor', page.next);
    response.setHeader('Link', `<${path}?${parameters}>; rel="next"`);
  }
  sendJson(response, page);
}

export function sendEmpty(response: Response): void {
  response.status(204).end();
}

/** Express's `send` would check for a fresh cache and parse the content type, which costs time on each command. */
function sendText(response: Response, status: number, contentType: string, text: string): void {
  response.statusCode = status;
  response.setHeader('Content-Type', contentType);
  response.setHeader('Content-Length', Buffer.byteLength(text));
  response.end(text);
}

/** Sends the contract's body and the headers of this code, the same in legacy and v1. */
export function sendError(response: Response, code: ErrorCode, error?: RelaygateError): void {
  // RFC 6750 section 3: for bearer tokens, not for a refresh token in a body.
  if (code === 'bad-token' && response.locals.takesBearer)
    response.set('WWW-Authenticate', 'Bearer error="invalid_token"');
  if (code === 'bad-token' && response.locals.successorUnknown)
    linkSuccessor(response, response.locals.successorUnknown);
  const waitSeconds = error?.retryAfterSeconds;
  if (waitSeconds !== undefined) {
    response.set('Retry-After', String(waitSeconds));
    if (error instanceof ExceededLimit && !response.locals.successorUnknown)
      tellRateLimits(response, [{ ...error.limit, left: 0, waitSeconds }]);
  }
  noteRefusal(response, code);
  sendJson(response, { error: code }, statusOf(code));
}

/** True if the request prefers JSON where the contract has a text; the answer then says that it depends on Accept. Only v1 asks. */
export function asksForJson(response: Response): boolean {
  response.appendHeader('Vary', 'Accept');
  return prefersJson(response.req.headers.accept);
}

/** The answer of set and toggle, the same in both generations but for JSON in the place of the text. */
export function sendCommandAnswer(response: Response, answer: CommandAnswer, isJson = false): void {
  const isUnrecorded = answer.kind === 'error' && answer.isUnrecorded;
  if (answer.commandId !== undefined && !isUnrecorded) response.setHeader('Command-Id', answer.commandId);
  if (answer.isReplayed && !isUnrecorded) response.setHeader('Idempotent-Replayed', 'true');
  const named = { commandId: answer.commandId };
  switch (answer.kind) {
    case 'ok':
      return isJson ? sendJson(response, { status: 'OK', ...named }) : sendOk(response);
    case 'already-set':
      return sendJson(response, { already_set: true, ...(isJson && named) });
    case 'error':
      return sendError(response, answer.code);
    default:
      return answer satisfies never;
  }
}
