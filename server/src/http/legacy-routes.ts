import {
  AddProductBody,
  LegacyRefreshBody,
  LoginBody,
  type Parser,
  ProductBody,
  parserOf,
  SetOutputBody,
  ToggleOutputBody,
} from '@relaygate/shared';
import { type Request, type RequestHandler, type Response, Router } from 'express';
import type { Actions } from './actions';
import { sendCommandAnswer, sendJson, sendOk } from './answers';
import { bearer, clientIdOf, type Known } from './bearer';
import type { AddressOf } from './client-address';
import { deprecated, linkSuccessor, SUCCESSORS, type Successor, UNKNOWN_VALUES } from './deprecation';
import { methodNotAllowed } from './error-handler';
import { bodyOf, jsonBody } from './request-body';

const parseLogin = parserOf(LoginBody);
const parseRefresh = parserOf(LegacyRefreshBody);
const parseClaim = parserOf(AddProductBody);
const parseProduct = parserOf(ProductBody);
const parseSet = parserOf(SetOutputBody);
const parseToggle = parserOf(ToggleOutputBody);

interface LegacyOperation<T> {
  path: string;
  parse: Parser<T>;
  /** Where v1 has it. */
  successor: Successor;
  /** Login and refresh come without an access token. */
  open?: true;
  handle(body: T, request: Request, response: Response): Promise<void>;
}

/** The deprecated generation: seven POST operations, translated onto the same actions as v1. */
export function legacyRoutes(actions: Actions, addressOf: AddressOf, known: Known, deprecatedAt: string): Router {
  const router = Router({ caseSensitive: true, strict: true });
  const authenticated = bearer(actions, known);

  function mount<T extends object>(operation: LegacyOperation<T>): void {
    const { path, parse, successor, open, handle } = operation;
    const run: RequestHandler = async (request, response) => {
      const body = bodyOf(request, parse);
      linkSuccessor(response, successor({ ...UNKNOWN_VALUES, ...body }));
      await handle(body, request, response);
      known(request);
    };
    router
      .route(path)
      .all(deprecated(deprecatedAt, successor))
      .post(...(open ? [] : [authenticated]), jsonBody, run)
      .all(methodNotAllowed('POST'));
  }

  mount({
    path: '/login',
    parse: parseLogin,
    successor: SUCCESSORS.login,
    open: true,
    handle: async ({ clientKey }, request, response) =>
      sendJson(response, await actions.login(clientKey, addressOf(request))),
  });
  mount({
    path: '/refreshToken',
    parse: parseRefresh,
    successor: SUCCESSORS.refresh,
    open: true,
    handle: async ({ refreshToken, clientKey }, request, response) =>
      sendJson(response, await actions.refresh({ refreshToken, clientKey, address: addressOf(request) })),
  });
  mount({
    path: '/addProduct',
    parse: parseClaim,
    successor: SUCCESSORS.products,
    async handle({ productLogin, productKey }, request, response) {
      await actions.associate({
        clientId: clientIdOf(response),
        productLogin,
        productKey,
        address: addressOf(request),
      });
      sendOk(response);
    },
  });
  mount({
    path: '/deleteProduct',
    parse: parseProduct,
    successor: SUCCESSORS.product,
    async handle({ productLogin }, _request, response) {
      await actions.dissociate(clientIdOf(response), productLogin);
      sendOk(response);
    },
  });
  mount({
    path: '/getProductStates',
    parse: parseProduct,
    successor: SUCCESSORS.state,
    handle: async ({ productLogin }, _request, response) =>
      sendJson(response, await actions.productState(clientIdOf(response), productLogin)),
  });
  mount({
    path: '/setOutputProduct',
    parse: parseSet,
    successor: SUCCESSORS.output,
    async handle({ productLogin, numOutput, state }, _request, response) {
      const order = {
        clientId: clientIdOf(response),
        productLogin,
        numOutput,
        action: { action: 'set', state },
      } as const;
      sendCommandAnswer(response, await actions.drive(order));
    },
  });
  mount({
    path: '/toggleOutputProduct',
    parse: parseToggle,
    successor: SUCCESSORS.toggle,
    async handle({ productLogin, numOutput }, _request, response) {
      const order = { clientId: clientIdOf(response), productLogin, numOutput, action: { action: 'toggle' } } as const;
      sendCommandAnswer(response, await actions.drive(order));
    },
  });
  return router;
}
