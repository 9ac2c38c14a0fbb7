import { type ErrorCode, type Parser, parserOf, RelaygateError, type Static, type TSchema } from '@relaygate/shared';
import type { RequestHandler } from 'express';
import type { Actions } from '../actions';
import type { RateLimit } from '../limits/budgets';
import type { AnswerForm, Success } from './answer-form';
import type { OnAuthenticated } from './bearer';
import type { AddressOf } from './client-address';
import { linkSuccessor, successorPath } from './deprecation';
import { idempotencyKeyOf } from './idempotency-key';
import type { QueryForm } from './query';
import { tellRateLimits } from './rate-limit';

/** What a handler gets of a request, in addition to its body. */
export interface Call {
  actions: Actions;
  /** The owner of the access token. Throws in an operation that is `open`. */
  clientId(): string;
  /** The client's. */
  address(): string;
  /** A parameter of the path, decoded. */
  param(name: string): string;
  /** As `idempotencyKeyOf`. */
  idempotencyKey(): string | undefined;
}

/** What operations are served with. */
export interface ServeDeps {
  actions: Actions;
  addressOf: AddressOf;
  onAuthenticated: OnAuthenticated;
}

/** The body of a request. */
export interface BodyForm<B> {
  parse: Parser<B>;
  /** For the OpenAPI document; undefined if the operation reads no body. */
  document?: { schema: TSchema; required: boolean; example: object };
}

/** `schema`: one of shared/src/api-bodies.ts. */
export function body<S extends TSchema>(schema: S, example: object): BodyForm<Static<S>> {
  return { parse: parserOf(schema), document: { schema, required: true, example } };
}

/** The same for a body that may be missing. */
export function optionalBody<S extends TSchema>(schema: S, example: object): BodyForm<Static<S> | undefined> {
  const parse = parserOf(schema);
  return {
    parse: (value) => (value === undefined ? { ok: true, value } : parse(value)),
    document: { schema, required: false, example },
  };
}

export const NO_BODY: BodyForm<undefined> = { parse: () => ({ ok: true, value: undefined }) };

interface Description {
  operationId: string;
  method: 'get' | 'post' | 'patch' | 'delete';
  /** From the server's root, parameters in braces: `/api/v1/products/{productLogin}`. */
  path: string;
  summary: string;
  /** What a caller should know, in short sentences. Of a legacy operation: what replaces it. */
  description: string;
  tag: 'tokens' | 'products' | 'outputs' | 'server';
  /** Of a legacy operation: the v1 path that does the same. Each answer names it. */
  successor?: string;
  /** True: the operation needs no access token. */
  open?: true;
  /** True: it reads the header `Idempotency-Key`. */
  idempotent?: true;
  errors: readonly ErrorCode[];
}

interface TypedOperation<B, T, Q> extends Description {
  body: BodyForm<B>;
  answer: AnswerForm<T>;
  /** What the client has left after the request; each answer of the handler tells it. */
  limits?: (call: Call) => readonly RateLimit[];
  /** Fails with a RelaygateError of one of the `errors`. `query`: undefined if the operation has none. */
  handle(call: Call, body: B, query: Q): Promise<T>;
}

/** One operation of the API. The routes, the OpenAPI document and the tests' table of routes are made from these. */
export interface Operation extends Description {
  /** Undefined if the operation reads no body. */
  body: BodyForm<unknown>['document'];
  /** Undefined if the operation reads no query: whatever is in it is ignored then. */
  query: QueryForm<unknown>['document'] | undefined;
  success: readonly Success[];
  /** True: its answers have a Command-Id. */
  command: boolean;
  /** True: its answers tell what the client has left of limits. */
  limited: boolean;
  /**
   * Checks the body of a request whose token is checked and whose body is read, runs the handler and sends its answer. Fails
   * with `invalid-params`, and as the handler does.
   */
  serve(deps: ServeDeps): RequestHandler;
}

/** An operation whose handler gets the parsed body, and the parsed query if it has one. */
export function operation<B, T, Q>(typed: TypedOperation<B, T, Q> & { query: QueryForm<Q> }): Operation;
export function operation<B, T>(typed: TypedOperation<B, T, undefined>): Operation;
export function operation<B, T, Q>({
  body: form,
  query,
  answer,
  limits,
  handle,
  ...description
}: TypedOperation<B, T, Q | undefined> & { query?: QueryForm<Q> }): Operation {
  const { successor, open } = description;
  return {
    ...description,
    body: form.document,
    query: query?.document,
    success: answer.success,
    command: answer.command,
    limited: limits !== undefined,
    serve:
      ({ actions, addressOf, onAuthenticated }) =>
      async (request, response) => {
        const parsed = form.parse(request.body);
        if (!parsed.ok) throw new RelaygateError('invalid-params', parsed.problem);
        const { value } = parsed;
        const asked = query?.parse(request.url);
        if (successor !== undefined) linkSuccessor(response, successorPath(successor, value));
        // No getters: V8 gives each object with getters a shape of its own, and that slows every handler down.
        const call: Call = {
          actions,
          clientId: () => {
            const clientId: unknown = response.locals.clientId;
            if (typeof clientId === 'string') return clientId;
            throw new Error('the operation is open, but its handler asks for the client');
          },
          address: () => addressOf(request),
          param: (name) => {
            const text = request.params[name];
            if (typeof text !== 'string') throw new Error(`the path has no parameter ${name}`);
            return text;
          },
          idempotencyKey: () => idempotencyKeyOf(request),
        };
        const done = handle(call, value, asked);
        answer.send(response, await (limits ? done.finally(() => tellRateLimits(response, limits(call))) : done));
        if (open) onAuthenticated(request);
      },
  };
}
