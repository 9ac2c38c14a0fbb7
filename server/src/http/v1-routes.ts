import {
  ACCESS_TOKEN_SECONDS,
  AddProductBody,
  EmptyBody,
  type LoginAnswer,
  LoginBody,
  parserOf,
  RefreshBody,
  RelaygateError,
  StateBody,
} from '@relaygate/shared';
import { type Request, type RequestHandler, Router } from 'express';
import type { Actions } from './actions';
import { sendCommandAnswer, sendJson, sendOk } from './answers';
import { bearer, clientIdOf, type Known } from './bearer';
import type { AddressOf } from './client-address';
import { methodNotAllowed } from './error-handler';
import { bodyOf, jsonBody } from './request-body';

const parseLogin = parserOf(LoginBody);
const parseRefresh = parserOf(RefreshBody);
const parseAddProduct = parserOf(AddProductBody);
const parseState = parserOf(StateBody);
const parseEmpty = parserOf(EmptyBody);

/** Canonical decimal, so that one output has one path. */
const OUTPUT_NUMBER = /^(0|[1-9][0-9]{0,2})$/;

/** The current generation, below /api/v1. */
export function v1Routes(actions: Actions, addressOf: AddressOf, known: Known): Router {
  const router = Router({ caseSensitive: true, strict: true });
  const authenticated = bearer(actions, known);
  router.use(refuseUndecodablePath(authenticated));

  router
    .route('/auth/login')
    .post(jsonBody, async (request, response) => {
      const pair = await actions.login(bodyOf(request, parseLogin).clientKey, addressOf(request));
      known(request);
      const answer: LoginAnswer = { ...pair, tokenType: 'Bearer', expiresIn: ACCESS_TOKEN_SECONDS };
      sendJson(response, answer);
    })
    .all(methodNotAllowed('POST'));

  router
    .route('/auth/refresh')
    .post(jsonBody, async (request, response) => {
      const { refreshToken } = bodyOf(request, parseRefresh);
      const claim = { refreshToken, clientKey: undefined, address: addressOf(request) };
      const pair = await actions.refresh(claim);
      known(request);
      sendJson(response, pair);
    })
    .all(methodNotAllowed('POST'));

  router
    .route('/products')
    .post(authenticated, jsonBody, async (request, response) => {
      const { productLogin, productKey } = bodyOf(request, parseAddProduct);
      await actions.associate({
        clientId: clientIdOf(response),
        productLogin,
        productKey,
        address: addressOf(request),
      });
      sendOk(response, 201);
    })
    .all(methodNotAllowed('POST'));

  router
    .route('/products/:productLogin')
    .delete(authenticated, async (request, response) => {
      await actions.dissociate(clientIdOf(response), request.params.productLogin);
      response.status(204).end();
    })
    .all(methodNotAllowed('DELETE'));

  router
    .route('/products/:productLogin/state')
    .get(authenticated, async (request, response) => {
      sendJson(response, await actions.productState(clientIdOf(response), request.params.productLogin));
    })
    .all(methodNotAllowed('GET', 'HEAD'));

  router
    .route('/products/:productLogin/outputs/:numOutput')
    .patch(authenticated, jsonBody, async (request, response) => {
      const target = outputOf(request.params);
      const { state } = bodyOf(request, parseState);
      const action = { action: 'set', state } as const;
      sendCommandAnswer(response, await actions.drive({ clientId: clientIdOf(response), ...target, action }));
    })
    .all(methodNotAllowed('PATCH'));

  router
    .route('/products/:productLogin/outputs/:numOutput/toggle')
    .post(authenticated, jsonBody, async (request, response) => {
      const target = outputOf(request.params);
      if (request.body !== undefined) bodyOf(request, parseEmpty);
      const action = { action: 'toggle' } as const;
      sendCommandAnswer(response, await actions.drive({ clientId: clientIdOf(response), ...target, action }));
    })
    .all(methodNotAllowed('POST'));

  router
    .route('/commands/:commandId')
    .get(authenticated, async (request, response) => {
      sendJson(response, await actions.commandStatus(clientIdOf(response), request.params.commandId));
    })
    .all(methodNotAllowed('GET', 'HEAD'));

  return router;
}

function outputOf(params: Request<{ productLogin: string; numOutput: string }>['params']): {
  productLogin: string;
  numOutput: number;
} {
  if (!OUTPUT_NUMBER.test(params.numOutput)) throw new RelaygateError('invalid-params');
  return { productLogin: params.productLogin, numOutput: Number(params.numOutput) };
}

/** Express would fail on a path like `%zz` before a route is found, and so before 401 has its turn. */
function refuseUndecodablePath(authenticated: RequestHandler): RequestHandler {
  return (request, response, next) => {
    try {
      decodeURIComponent(request.path);
      next();
    } catch {
      const refuse = (error?: unknown): void => next(error ?? new RelaygateError('invalid-params'));
      Promise.resolve(authenticated(request, response, refuse)).catch(next);
    }
  };
}
