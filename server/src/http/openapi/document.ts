import { ERRORS, type ErrorCode, statusOf } from '@relaygate/shared';
import { IDEMPOTENCY_KEY_PATTERN } from '../../commands/same-key';
import type { Success } from '../answer-form';
import type { Operation } from '../operation';
import { OPERATIONS } from '../operations';
import { errorContent, errorSchemas } from './error-schemas';
import { healthPaths } from './health-paths';
import { type Json, NamedSchemas } from './schemas';

const TITLE = 'Relaygate';
const DESCRIPTION = [
  'Switch outputs of connected products and know whether it really happened. Set your client time-out above 5 s.',
  'After a 504 ask for the outcome by the Command-Id of the answer; never toggle again blindly.',
].join('\n\n');

const PATH_PARAMETERS: Record<string, Json> = {
  productLogin: { schema: { type: 'string', pattern: '^[A-Za-z0-9._-]{1,64}$' }, example: 'demo-gate' },
  numOutput: { schema: { type: 'integer', minimum: 0, maximum: 999 }, example: 0 },
  commandId: { schema: { type: 'string' }, example: '019a9f0e-7c1e-7f00-8000-000000000000' },
};

const IDEMPOTENCY_KEY: Json = {
  name: 'Idempotency-Key',
  in: 'header',
  description: [
    'A name that the client gives the command, so that it may ask again after a lost answer: for at least 24 hours the key stands for at',
    'most one execution, and a repetition gets its answer. What certainly has moved nothing runs anew, up to 30 seconds after the key came first.',
  ].join(' '),
  required: false,
  schema: { type: 'string', pattern: IDEMPOTENCY_KEY_PATTERN },
  example: '019a9f0e-7c1e-7f00-8000-000000000001',
};

const HEADERS: Record<string, Json> = {
  Allow: { description: 'The methods that the path takes.', schema: { type: 'string', pattern: '^[A-Z, ]+$' } },
  'Command-Id': {
    description: 'For GET /api/v1/commands/{commandId}. A 504 has none if no node could take the command.',
    schema: { type: 'string' },
  },
  'Idempotent-Replayed': {
    description: 'The answer is that of the command that the Idempotency-Key stands for already. Else it is absent.',
    schema: { type: 'string', const: 'true' },
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
  NextPage: {
    description: 'The next page of the list, root-relative. Absent on the last page.',
    schema: { type: 'string', pattern: '^</api/v1/[^>]+>; rel="next"$' },
  },
  RateLimit: {
    description:
      'What is left of each limit (r), and the seconds until all of it is there again; with nothing left, until one unit is (t).',
    schema: { type: 'string', pattern: '^("[a-z-]+";r=[0-9]+;t=[0-9]+(, )?)+$' },
  },
  'RateLimit-Policy': {
    description: 'The limits: so many units (q) in so many seconds (w); draft-ietf-httpapi-ratelimit-headers.',
    schema: { type: 'string', pattern: '^("[a-z-]+";q=[0-9]+;w=[0-9]+(, )?)+$' },
  },
  'Request-Id': {
    description:
      "Names the request in the server's log: the Request-Id of the request if it is a short token, else a new one.",
    schema: { type: 'string', pattern: '^[A-Za-z0-9._-]{1,64}$' },
  },
  'Retry-After': { description: 'Seconds.', schema: { type: 'string', pattern: '^[1-9][0-9]*$' } },
  'WWW-Authenticate': { schema: { type: 'string', const: 'Bearer error="invalid_token"' } },
};

/**
 * The OpenAPI 3.1 document of the HTTP API, made from the operations and their schemas. `version`: of the server. `url`: the
 * address that applications use, without a path; `/` means the address from which the document was read.
 */
export function openApiDocument(version: string, url = '/'): Json {
  const schemas = new NamedSchemas();
  const paths: Record<string, Json> = {};
  for (const operation of OPERATIONS)
    paths[operation.path] = { ...paths[operation.path], [operation.method]: operationObject(operation, schemas) };
  const health = healthPaths(schemas);
  return {
    openapi: '3.1.0',
    info: {
      title: TITLE,
      version,
      description: DESCRIPTION,
      contact: { name: 'The operator of this server' },
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url }],
    tags: [
      { name: 'tokens', description: 'Logging in, and renewing tokens.' },
      { name: 'products', description: 'Which products a client may control, and their last known state.' },
      { name: 'outputs', description: 'Switching, and its outcome.' },
      { name: 'server', description: 'For monitoring.' },
    ],
    security: [{ accessToken: [] }],
    paths: { ...paths, ...health },
    components: {
      securitySchemes: { accessToken: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT' } },
      headers: HEADERS,
      responses: {
        BadRequest: sharedResponse('bad-request', ['Cache-Control', 'Request-Id']),
        MethodNotAllowed: sharedResponse('method-not-allowed', ['Allow', 'Cache-Control', 'Request-Id']),
        LegacyMethodNotAllowed: sharedResponse('method-not-allowed', [
          'Allow',
          'Cache-Control',
          'Request-Id',
          'Deprecation',
          'Link',
        ]),
        PlainMethodNotAllowed: sharedResponse('method-not-allowed', ['Allow', 'Request-Id']),
      },
      schemas: { ...schemas.used, ...errorSchemas() },
    },
  };
}

function operationObject(operation: Operation, schemas: NamedSchemas): Json {
  const { operationId, summary, description, tag, successor, open, body } = operation;
  const parameters = parametersOf(operation);
  return {
    operationId,
    summary,
    description,
    tags: [tag],
    ...(successor === undefined ? {} : { deprecated: true }),
    ...(open ? { security: [] } : {}),
    ...(parameters.length > 0 ? { parameters } : {}),
    ...(body
      ? { requestBody: { required: body.required, content: json(schemas.refTo(body.schema), body.example) } }
      : {}),
    responses: {
      ...successResponses(operation, schemas),
      ...errorResponses(operation),
      ...responsesOfThePath(operation),
    },
  };
}

function parametersOf({ path, idempotent, query }: Operation): Json[] {
  const ofPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => ({
    name,
    in: 'path',
    required: true,
    ...PATH_PARAMETERS[name],
  }));
  const ofQuery = Object.entries(query?.schema.properties ?? {}).map(([name, { description, ...schema }]) => ({
    name,
    in: 'query',
    required: query?.schema.required?.includes(name) ?? false,
    description,
    schema,
    example: query?.examples[name],
  }));
  return [...ofPath, ...(idempotent ? [IDEMPOTENCY_KEY] : []), ...ofQuery];
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
    content: errorContent([code]),
  };
}

function successResponses(operation: Operation, schemas: NamedSchemas): Json {
  const responses: Json = {};
  for (const status of new Set(operation.success.map((success) => success.status))) {
    const same = operation.success.filter((success) => success.status === status);
    const content = { ...textOf(same), ...jsonOf(same, schemas) };
    responses[status] = {
      description: same.map(({ description }) => description).join(' '),
      headers: headersOf(operation, {
        commandId: true,
        rateLimit: operation.limited,
        nextPage: same.some((success) => 'isPage' in success),
      }),
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
function jsonOf(successes: readonly Success[], schemas: NamedSchemas): Json {
  const all = successes
    .filter((success) => 'json' in success)
    .map(({ json, example }) => ({ schema: schemas.refTo(json), example }));
  const [first, ...more] = all;
  if (!first) return {};
  if (more.length === 0) return json(first.schema, first.example);
  const examples = Object.fromEntries(all.map(({ schema, example }) => [last(schema.$ref), { value: example }]));
  return { 'application/json': { schema: { anyOf: all.map(({ schema }) => schema) }, examples } };
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
        rateLimit: toldLimits(operation, status),
        authenticate: codes.includes('bad-token') && !operation.open,
      }),
      content: errorContent(codes),
    };
  }
  return responses;
}

/** Some 401s, 403s, 404s and 422s come before the client's limits are known. */
function toldLimits({ successor, limited }: Operation, status: number): boolean {
  if (successor !== undefined) return false;
  return status === statusOf('too-many-requests') || (limited && [409, 504].includes(status));
}

/** The headers that every such answer has. */
function headersOf(
  operation: Operation,
  has: { commandId?: boolean; nextPage?: boolean; retryAfter?: boolean; rateLimit?: boolean; authenticate?: boolean },
): Json {
  const names = ['Cache-Control', 'Request-Id'];
  if (operation.successor !== undefined) names.push('Deprecation', 'Link');
  if (operation.command && has.commandId) {
    names.push('Command-Id');
    if (operation.idempotent) names.push('Idempotent-Replayed');
  }
  if (has.retryAfter) names.push('Retry-After');
  if (has.rateLimit) names.push('RateLimit', 'RateLimit-Policy');
  if (has.authenticate) names.push('WWW-Authenticate');
  return {
    ...Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }])),
    ...(has.nextPage ? { Link: { $ref: '#/components/headers/NextPage' } } : {}),
  };
}

function json(schema: Json, example: object): Json {
  return { 'application/json': { schema, example } };
}

/** The name at the end of a reference. */
function last(ref: string): string {
  return ref.slice(ref.lastIndexOf('/') + 1);
}
