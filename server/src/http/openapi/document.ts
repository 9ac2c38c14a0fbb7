import {
  ERRORS,
  ErrorBody,
  type ErrorCode,
  HealthBody,
  ReadinessBody,
  ReadyBody,
  statusOf,
  type TSchema,
} from '@relaygate/shared';
import * as apiBodies from '@relaygate/shared/api-bodies';
import type { Success } from '../answer-form';
import type { Operation } from '../operation';
import { OPERATIONS } from '../operations';

type Json = Record<string, unknown>;

const TITLE = 'Relaygate';
const DESCRIPTION = [
  'Switch outputs of connected products and know whether it really happened. Set your client time-out above 5 s.',
  'After a 504 ask for the outcome by the Command-Id of the answer; never toggle again blindly.',
].join('\n\n');

const PATH_PARAMETERS: Record<string, Json> = {
  productLogin: { schema: { type: 'string', pattern: '^[A-Za-z0-9._-]{1,64}$' }, example: 'gate-1' },
  numOutput: { schema: { type: 'integer', minimum: 0, maximum: 999 }, example: 0 },
  commandId: { schema: { type: 'string' }, example: '019a9f0e-7c1e-7f00-8000-000000000000' },
};

const HEADERS: Record<string, Json> = {
  Allow: { description: 'The methods that the path takes.', schema: { type: 'string', pattern: '^[A-Z, ]+$' } },
  'Command-Id': {
    description: 'For GET /api/v1/commands/{commandId}. A 504 has none if no node could take the command.',
    schema: { type: 'string' },
  },
  'Cache-Control': { schema: { type: 'string', const: 'no-store' } },
  Deprecation: {
    description: 'Since when this path is deprecated (RFC 9745).',
    schema: { type: 'string', pattern: '^@[0-9]+$' },
  },
  Link: {
    description: 'The v1 path that does the same.',
    schema: { type: 'string', pattern: '^</api/v1/[^>]+>; rel="successor-version"$' },
  },
  'Retry-After': { description: 'Seconds.', schema: { type: 'string', pattern: '^[1-9][0-9]*$' } },
  'WWW-Authenticate': { schema: { type: 'string', const: 'Bearer error="invalid_token"' } },
};

/**
 * The OpenAPI 3.1 document of the HTTP API, made from the operations and their schemas. `version`: of the server. `url`: the
 * address that applications use, without a path; `/` means the address from which the document was read.
 */
export function openApiDocument(version: string, url = '/'): Json {
  const paths: Record<string, Json> = {};
  for (const operation of OPERATIONS)
    paths[operation.path] = { ...paths[operation.path], [operation.method]: operationObject(operation) };
  return {
    openapi: '3.1.0',
    info: { title: TITLE, version, description: DESCRIPTION, license: { name: 'MIT', identifier: 'MIT' } },
    servers: [{ url }],
    tags: [
      { name: 'tokens', description: 'Logging in, and renewing tokens.' },
      { name: 'products', description: 'Which products a client may control, and their last known state.' },
      { name: 'outputs', description: 'Switching, and its outcome.' },
      { name: 'server', description: 'For monitoring.' },
    ],
    security: [{ accessToken: [] }],
    paths: { ...paths, ...HEALTH_PATHS },
    components: {
      securitySchemes: { accessToken: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT' } },
      headers: HEADERS,
      responses: {
        BadRequest: sharedResponse('bad-request', ['Cache-Control']),
        MethodNotAllowed: sharedResponse('method-not-allowed', ['Allow', 'Cache-Control']),
        LegacyMethodNotAllowed: sharedResponse('method-not-allowed', ['Allow', 'Cache-Control', 'Deprecation', 'Link']),
        PlainMethodNotAllowed: sharedResponse('method-not-allowed', ['Allow']),
      },
      schemas: { ErrorBody, ...usedBodies() },
    },
  };
}

function operationObject(operation: Operation): Json {
  const { operationId, summary, tag, successor, open, body, path } = operation;
  const parameters = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => ({
    name,
    in: 'path',
    required: true,
    ...PATH_PARAMETERS[name],
  }));
  return {
    operationId,
    summary,
    tags: [tag],
    ...(successor === undefined ? {} : { deprecated: true }),
    ...(open ? { security: [] } : {}),
    ...(parameters.length > 0 ? { parameters } : {}),
    ...(body ? { requestBody: { required: body.required, content: json(body.schema, body.example) } } : {}),
    responses: { ...successResponses(operation), ...errorResponses(operation), ...responsesOfThePath(operation) },
  };
}

/** Answers that any request to a path may get before an operation runs; 405 is for the path's other methods. */
function responsesOfThePath({ successor }: Operation): Json {
  const notAllowed = `#/components/responses/${successor === undefined ? 'MethodNotAllowed' : 'LegacyMethodNotAllowed'}`;
  return { 400: { $ref: '#/components/responses/BadRequest' }, 405: { $ref: notAllowed } };
}

function sharedResponse(code: ErrorCode, headers: readonly string[]): Json {
  return {
    description: `${code}: ${ERRORS[code].meaning}`,
    headers: Object.fromEntries(headers.map((name) => [name, { $ref: `#/components/headers/${name}` }])),
    content: {
      'application/json': { schema: { $ref: '#/components/schemas/ErrorBody' }, example: { error: code } },
    },
  };
}

/** For monitoring: outside the API, without a token. */
const HEALTH_PATHS: Json = {
  '/healthz': {
    get: health('isAlive', 'Does the process answer?', {
      200: ['It does.', HealthBody, { status: 'ok' }],
    }),
  },
  '/readyz': {
    get: health('isReady', 'Can the server do its work?', {
      200: ['It can.', ReadyBody, { status: 'ready' }],
      503: [
        'It cannot, or it stops.',
        ReadinessBody,
        { status: 'not-ready', codes: ['database-unwritable'], problems: ['the database takes no writes'] },
      ],
    }),
  },
};

function health(operationId: string, summary: string, answers: Record<number, [string, TSchema, object]>): Json {
  const responses = Object.entries(answers).map(([status, [description, schema, example]]) => [
    status,
    { description, headers: {}, content: { 'application/json': { schema, example } } },
  ]);
  return {
    operationId,
    summary,
    tags: ['server'],
    security: [],
    responses: {
      ...Object.fromEntries(responses),
      400: { $ref: '#/components/responses/BadRequest' },
      405: { $ref: '#/components/responses/PlainMethodNotAllowed' },
    },
  };
}

function successResponses(operation: Operation): Json {
  const responses: Json = {};
  for (const status of new Set(operation.success.map((success) => success.status))) {
    const same = operation.success.filter((success) => success.status === status);
    const content = { ...textOf(same), ...jsonOf(same) };
    responses[status] = {
      description: same.map(({ description }) => description).join(' '),
      headers: headersOf(operation, { commandId: true }),
      ...(Object.keys(content).length > 0 ? { content } : {}),
    };
  }
  return responses;
}

function textOf(successes: readonly Success[]): Json {
  const text = successes.find((success) => 'text' in success)?.text;
  return text === undefined ? {} : { 'text/plain': { schema: { type: 'string', const: text }, example: text } };
}

/** Bodies of the same status stand side by side, with an example for each. */
function jsonOf(successes: readonly Success[]): Json {
  const [first, ...more] = successes.filter((success) => 'json' in success);
  if (!first) return {};
  if (more.length === 0) return json(first.json, first.example);
  const all = [first, ...more];
  const examples = Object.fromEntries(all.map(({ json, example }) => [nameOf(json), { value: example }]));
  return { 'application/json': { schema: { anyOf: all.map(({ json }) => refOf(json)) }, examples } };
}

/** Codes with the same status (two kinds of 404) share a response, with an example for each. */
function errorResponses(operation: Operation): Json {
  const responses: Json = {};
  for (const status of new Set(operation.errors.map(statusOf))) {
    const codes = operation.errors.filter((code) => statusOf(code) === status);
    responses[status] = {
      description: codes.map((code) => `${code}: ${ERRORS[code].meaning}`).join(' '),
      headers: headersOf(operation, {
        commandId: status === statusOf('device-timeout'),
        retryAfter: status === statusOf('too-many-requests'),
        authenticate: codes.includes('bad-token') && !operation.open,
      }),
      content: {
        'application/json': {
          schema: { allOf: [{ $ref: '#/components/schemas/ErrorBody' }, { properties: { error: { enum: codes } } }] },
          examples: Object.fromEntries(codes.map((code) => [code, { value: { error: code } }])),
        },
      },
    };
  }
  return responses;
}

/** The headers that every such answer has. */
function headersOf(
  operation: Operation,
  has: { commandId?: boolean; retryAfter?: boolean; authenticate?: boolean },
): Json {
  const names = ['Cache-Control'];
  if (operation.successor !== undefined) names.push('Deprecation', 'Link');
  if (operation.command && has.commandId) names.push('Command-Id');
  if (has.retryAfter) names.push('Retry-After');
  if (has.authenticate) names.push('WWW-Authenticate');
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}

function json(schema: TSchema, example: object): Json {
  return { 'application/json': { schema: refOf(schema), example } };
}

function refOf(schema: TSchema): Json {
  return { $ref: `#/components/schemas/${nameOf(schema)}` };
}

/** The schema's name in shared/src/api-bodies.ts. */
function nameOf(schema: TSchema): string {
  const [name] = Object.entries(apiBodies).find(([, known]) => known === schema) ?? [];
  if (name === undefined) throw new Error(`${JSON.stringify(schema)} is not in shared/src/api-bodies.ts`);
  return name;
}

/** Bodies of requests and answers, by their names. */
function usedBodies(): Json {
  const used = OPERATIONS.flatMap(({ body, success }) => [
    ...(body ? [body.schema] : []),
    ...success.flatMap((answer) => ('json' in answer ? [answer.json] : [])),
  ]);
  return Object.fromEntries(Object.entries(apiBodies).filter(([, schema]) => used.includes(schema)));
}
