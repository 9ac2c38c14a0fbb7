import { expect } from '@jest/globals';
import { ERRORS } from '@relaygate/shared';
import type { Answer } from './api-client';
import type { Route } from './every-route';

/** RFC 8288 with what a path may hold once it is percent-encoded: no value of a request can break out of it. */
const LINK = /^<\/api\/v1\/[A-Za-z0-9/._~!'()*%-]+>; rel="successor-version"$/;
const OUTPUT_BODY = /^(OK|\{"already_set":true\})$/;

/** Whatever was asked: one of the contract's statuses, in its form, with the headers of the route's generation. */
export function expectContractForm(route: Route, answer: Answer): void {
  const { status, headers, text, json } = answer;
  const type = headers.get('content-type');
  if (status >= 400) {
    const { error } = json as { error: keyof typeof ERRORS };
    expect(Object.keys(json as object)).toEqual(['error']);
    expect(ERRORS[error]).toMatchObject({ status });
    // 504 is the answer of a command that works as it should, and of nothing else.
    if (status >= 500) expect([status, headers.has('command-id')]).toEqual([504, true]);
  } else if (status === 204) expect(text).toBe('');
  else if (type?.startsWith('text/plain')) expect(text).toMatch(OUTPUT_BODY);
  else expect(json).toBeInstanceOf(Object);
  if (text !== '') expect(type).toMatch(/^(text\/plain|application\/json); charset=utf-8$/);
  expect(headers.get('cache-control')).toBe('no-store');
  expect(headers.has('deprecation')).toBe(route.generation === 'legacy');
  if (route.generation === 'legacy') expect(headers.get('link')).toMatch(LINK);
  else expect(headers.has('link')).toBe(false);
}
