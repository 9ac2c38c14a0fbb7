import { type ErrorCode, RelaygateError, statusOf } from '@relaygate/shared';
import type { ConsoleLanguage } from '@relaygate/shared/device';
import { UNEXPECTED } from '../../../ipc/request-session';
import { localeOf } from '../../../locales/locales';
import { refusalText } from '../../../locales/refusal-text';
import type { WebAnswer, WebHeaders } from './web-exchange';

/** The HTTP status of codes that the server's API does not have. */
const STATUSES: Partial<Record<ErrorCode, number>> = {
  'no-pin': 403,
  'wrong-pin': 401,
  'too-many-strangers': 429,
  'not-logged-in': 401,
  'foreign-request': 403,
  'bad-usage': 422,
  'out-of-range': 422,
  'output-not-found': 404,
  'output-active': 409,
  refused: 409,
  unproven: 409,
  'guard-unreachable': 503,
  'outcome-unknown': 504,
};

export function json(status: number, value: unknown, headers: WebHeaders = {}): WebAnswer {
  return {
    status,
    headers: { 'Content-Type': 'application/json; charset=utf-8', 'Cache-Control': 'no-store', ...headers },
    body: JSON.stringify(value),
  };
}

/** `{error: {code, message, waitS?}}`, in the reader's language. */
export function problem(error: unknown, language: ConsoleLanguage, headers: WebHeaders = {}): WebAnswer {
  const known = error instanceof RelaygateError ? error : new RelaygateError('unknown', UNEXPECTED);
  const { code, retryAfterSeconds: waitS } = known;
  const message = refusalText(known, localeOf(language));
  const body = { error: { code, message, ...(waitS === undefined ? {} : { waitS }) } };
  const status = STATUSES[code] ?? statusOf(code);
  return json(status, body, { ...(waitS === undefined ? {} : { 'Retry-After': String(waitS) }), ...headers });
}
