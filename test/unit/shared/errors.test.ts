import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { ERRORS, type ErrorCode, RelaygateError, statusOf } from '@relaygate/shared';
import { ROOT } from '../../support/processes/program';

const API_CODES = (Object.keys(ERRORS) as ErrorCode[]).filter((code) => 'status' in ERRORS[code]);

describe('the error table', () => {
  test.each<[number, ErrorCode]>([
    [401, 'bad-token'],
    [403, 'user-not-allowed'],
    [404, 'product-not-found'],
    [409, 'request-already-pending'],
    [422, 'invalid-params'],
    [500, 'unknown'],
    [504, 'device-timeout'],
  ])('holds the contract’s %i %s', (status, code) => {
    expect(statusOf(code)).toBe(status);
  });

  test('server/API.md lists every code of the API with its status, and no other', () => {
    const page = readFileSync(join(ROOT, 'server/API.md'), 'utf8');
    const rows = page.split('\n').filter((line) => /^\| [0-9]{3}/.test(line));
    const listed = rows
      .flatMap((row) => [...row.matchAll(/`([a-z-]+)`/g)].map(([, code]) => code))
      .filter((code) => code && code in ERRORS);
    expect(new Set(listed)).toEqual(new Set(API_CODES));
    for (const code of API_CODES) {
      const row = rows.find((line) => line.includes(`\`${code}\``));
      expect(row).toMatch(new RegExp(`\\b${statusOf(code)}\\b`));
    }
  });

  test('what is no code of the API is a 500 to the outside', () => {
    expect(statusOf('storage-unavailable')).toBe(500);
    expect(statusOf('storage-unanswered')).toBe(500);
  });

  test('an error keeps its cause, and has the table’s words unless it brings better ones', () => {
    const cause = new Error('disk full');
    expect(new RelaygateError('unknown', undefined, { cause })).toMatchObject({
      code: 'unknown',
      cause,
      message: ERRORS.unknown.meaning,
    });
  });
});
