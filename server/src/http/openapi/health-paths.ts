import { HealthBody, ReadinessBody, ReadyBody, type TSchema } from '@relaygate/shared';
import type { Json, NamedSchemas } from './schemas';

/** For monitoring: outside the API, without a token. */
export function healthPaths(schemas: NamedSchemas): Json {
  const health = (
    operationId: string,
    [summary, about]: readonly [string, string],
    answers: Record<number, [string, TSchema, object]>,
  ): Json => ({
    get: {
      operationId,
      summary,
      description: about,
      tags: ['server'],
      security: [],
      responses: {
        ...Object.fromEntries(
          Object.entries(answers).map(([status, [description, schema, example]]) => [
            status,
            {
              description,
              headers: { 'Request-Id': { $ref: '#/components/headers/Request-Id' } },
              content: { 'application/json': { schema: schemas.refTo(schema), example } },
            },
          ]),
        ),
        400: { $ref: '#/components/responses/BadRequest' },
        405: { $ref: '#/components/responses/PlainMethodNotAllowed' },
      },
    },
  });
  return {
    '/healthz': health('isAlive', ['Does the process answer?', 'It asks neither the database nor other nodes.'], {
      200: ['It does.', HealthBody, { status: 'ok' }],
    }),
    '/readyz': health(
      'isReady',
      ['Can the server do its work?', 'For load balancers: a server that is not ready gets no more requests.'],
      {
        200: ['It can.', ReadyBody, { status: 'ready' }],
        503: [
          'It cannot, or it stops.',
          ReadinessBody,
          { status: 'not-ready', codes: ['database-unwritable'], problems: ['the database takes no writes'] },
        ],
      },
    ),
  };
}
