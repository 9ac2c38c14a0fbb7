import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { healthRoutes } from '@relaygate/server/http/health-routes';
import { openApiDocument } from '@relaygate/server/http/openapi/document';
import { OPERATIONS } from '@relaygate/server/http/operations';
import { VERSION } from '@relaygate/server/version';
import { ERRORS, statusOf } from '@relaygate/shared';
import { Ajv2020 } from 'ajv/dist/2020';
import { ROOT } from '../support/processes/program';
import { call } from '../support/server/api-client';
import { checkAgainstOpenApi } from '../support/server/openapi-check';
import { serverForAll } from '../support/server/server-for-all';

interface Explained {
  enum?: (string | number)[];
  description?: string;
  'x-enum-descriptions'?: string[];
}

const document = openApiDocument(VERSION);
const server = serverForAll();

describe('the OpenAPI document', () => {
  test('in the repository is the one that the schemas give (else run: npm run generate)', () => {
    const kept = JSON.parse(readFileSync(join(ROOT, 'server/openapi.json'), 'utf8'));
    expect(kept).toEqual(JSON.parse(JSON.stringify(document)));
  });

  test('is served, and has the version of the package', async () => {
    const { status, json } = await call('GET', `${server.url}/openapi.json`);
    const { version } = JSON.parse(readFileSync(join(ROOT, 'server/package.json'), 'utf8'));
    expect(status).toBe(200);
    expect(json).toMatchObject({ openapi: '3.1.0', info: { version }, servers: [{ url: '/' }] });
  });

  test('has all operations of the contract: seven legacy and deprecated, each with its v1, the commands, and three lists', () => {
    const [v1, legacy] = [OPERATIONS.filter((it) => !it.successor), OPERATIONS.filter((it) => it.successor)];
    expect([legacy.length, v1.length]).toEqual([7, 11]);
    for (const { successor } of legacy) expect(v1.map(({ path }) => path)).toContain(successor);
  });

  test('has v1 before legacy, and each deprecated operation names what replaces it', () => {
    const paths = document.paths as Record<string, Record<string, { description: string; deprecated?: true }>>;
    const ofApi = Object.entries(paths).filter(([path]) => path.startsWith('/api/'));
    const isV1 = ofApi.map(([path]) => path.startsWith('/api/v1/'));
    expect(isV1).toEqual([...isV1].sort().reverse());
    for (const { method, path, successor, description } of OPERATIONS) {
      expect(paths[path]?.[method]).toMatchObject({ description, ...(successor && { deprecated: true }) });
      expect(description).toContain(successor ?? '.');
    }
  });

  test('offers text and JSON where v1 has the text OK, and legacy the text alone', () => {
    const paths = document.paths as Record<string, Record<string, { responses: Record<string, { content: object }> }>>;
    for (const { method, path, success, successor } of OPERATIONS) {
      if (!success.some((it) => 'text' in it)) continue;
      const { responses } = paths[path]?.[method] ?? { responses: {} };
      const [{ content } = { content: {} }] = Object.values(responses);
      expect(Object.keys(content)).toContain('text/plain');
      if (successor === undefined) expect(Object.keys(content)).toContain('application/json');
    }
  });

  test('has one enum of all codes of the API, and a schema for each', () => {
    const schemas = (document.components as { schemas: Record<string, { enum?: string[] }> }).schemas;
    const codes = Object.entries(ERRORS).flatMap(([code, row]) => ('status' in row ? [code] : []));
    expect(schemas.ErrorCode?.enum).toEqual(codes);
    const own = Object.values(schemas).map((schema) => /"const":"([a-z-]+)"/.exec(JSON.stringify(schema))?.[1]);
    expect(own.filter((code) => code !== undefined && codes.includes(code))).toEqual(codes);
  });

  test('explains every value of an enum', () => {
    const { schemas } = document.components as { schemas: Record<string, Explained> };
    const enums = Object.entries(schemas).filter(([, schema]) => schema.enum && !schema.enum.includes('toggle'));
    expect(enums.map(([name]) => name)).toEqual([
      'CommandOutcome',
      'ConfirmedBy',
      'OutputMode',
      'OutputState',
      'ErrorCode',
    ]);
    for (const [, { enum: values = [], description, 'x-enum-descriptions': each = [] }] of enums) {
      expect(each).toHaveLength(values.length);
      values.forEach((value, n) => void expect(description).toContain(`\`${value}\`: ${each[n]}`));
    }
  });

  test('has the health routes beside the operations, and nothing else', () => {
    const { stack } = healthRoutes({ problems: async () => [], warnings: async () => [] });
    const health = stack.map(({ route }) => route?.path ?? '');
    expect(Object.keys(document.paths as object).sort()).toEqual(
      [...new Set([...OPERATIONS.map(({ path }) => path), ...health])].sort(),
    );
  });

  test.each(OPERATIONS.map((operation) => [`${operation.method} ${operation.path}`, operation] as const))(
    '%s is a route of the server',
    async (_name, { method, path, open }) => {
      const url =
        server.url + path.replace('{productLogin}', 'gate').replace('{numOutput}', '0').replace('{commandId}', 'x');
      const { status } = await call(method.toUpperCase(), url);
      expect(status).toBe(open ? 422 : 401);
    },
  );

  test.each(OPERATIONS.map((operation) => [`${operation.method} ${operation.path}`, operation] as const))(
    '%s: the examples fit their schemas',
    (_name, { body, success }) => {
      const ajv = new Ajv2020({ strict: false });
      if (body) expect(ajv.validate(body.schema, body.example)).toBe(true);
      for (const answer of success) if ('json' in answer) expect(ajv.validate(answer.json, answer.example)).toBe(true);
    },
  );

  test('names no code that the error table does not have for the API', () => {
    const codes = new Set(OPERATIONS.flatMap(({ errors }) => errors));
    for (const code of codes) expect('status' in ERRORS[code]).toBe(true);
    expect([...codes].every((code) => statusOf(code) >= 401)).toBe(true);
  });
});

describe('the check of every answer in these suites', () => {
  const headers = new Headers({
    ...{ 'content-type': 'application/json; charset=utf-8', 'cache-control': 'no-store' },
    'request-id': 'a',
  });
  const answer = {
    status: 200,
    headers,
    text: '',
    json: { accessToken: 'a', refreshToken: 'b', tokenType: 'Bearer', expiresIn: 600 },
  };
  const LOGIN = 'http://x/api/v1/auth/login';

  test('lets a right answer pass', () => {
    expect(() => checkAgainstOpenApi('POST', LOGIN, answer)).not.toThrow();
  });

  test.each([
    ['a status that is not there', 'POST', LOGIN, { ...answer, status: 418 }],
    ['a body that does not fit', 'POST', LOGIN, { ...answer, json: { accessToken: 'a' } }],
    ['a code of another operation', 'POST', LOGIN, { ...answer, status: 401, json: { error: 'bad-token' } }],
    [
      'another content type',
      'POST',
      LOGIN,
      { ...answer, headers: new Headers({ ...Object.fromEntries(headers), 'content-type': 'text/html' }) },
    ],
    ['a missing header', 'POST', LOGIN, { ...answer, headers: new Headers({ 'content-type': 'application/json' }) }],
    ['a legacy answer without Deprecation', 'POST', 'http://x/api/login', answer],
    ['a method that is not there, answered', 'PUT', LOGIN, answer],
    ['a path that is not there, answered', 'GET', 'http://x/api/v1/nothing', answer],
  ])('catches %s', (_what, method, url, wrong) => {
    expect(() => checkAgainstOpenApi(method, url, wrong)).toThrow(/answered/);
  });
});
