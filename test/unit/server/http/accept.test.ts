import { expect, test } from '@jest/globals';
import { prefersJson } from '@relaygate/server/http/accept';

test.each([
  'application/json',
  'Application/JSON',
  'application/json; charset=utf-8',
  'application/json, text/plain;q=0.9, */*;q=0.8',
  'text/plain;q=0.5,application/json;q=0.501',
  'application/json, */*;q=0.1',
  'application/*',
  'application/*;q=0.3',
  'text/*;q=0.2, application/json;q=0.3',
  'application/json;q=0.2, text/plain;q=0, */*;q=0.1',
  'application/json , , text/html',
])('Accept: %s prefers JSON', (accept) => {
  expect(prefersJson(accept)).toBe(true);
});

test.each([
  undefined,
  '',
  '*/*',
  'text/plain',
  // What axios sends.
  'application/json, text/plain, */*',
  'application/json, */*',
  'application/json, text/plain',
  'application/json;q=0.5, text/plain;q=0.5',
  'application/json;q=0.5, text/*',
  'application/json;q=0.9, */*',
  'application/json;q=0',
  'application/json;q=0.5, */*;q=0.5, text/plain;q=0',
  'text/html, image/png',
  'application/*, */*',
  // The more specific range counts.
  'application/*, application/json;q=0.1, text/plain;q=0.2',
  // Weights that are none.
  'application/json;q=2',
  'application/json;q=-1',
  'application/json;q=0.5555',
  'application/json;q=x',
  'application/jsonx',
  'application/problem+json',
])('Accept: %s does not', (accept) => {
  expect(prefersJson(accept)).toBe(false);
});
