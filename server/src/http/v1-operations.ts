import {
  ACCESS_TOKEN_SECONDS,
  AddProductBody,
  CommandStatus,
  EmptyBody,
  LoginAnswer,
  LoginBody,
  ProductState,
  RefreshBody,
  RelaygateError,
  StateBody,
  TokenPair,
} from '@relaygate/shared';
import { created, json, noContent, SET_ANSWER, TOGGLE_ANSWER } from './answer-form';
import { CLIENT_KEY, COMMAND, PAIR, PRODUCT, REFRESH_TOKEN, STATE } from './openapi/examples';
import { body, type Call, NO_BODY, type Operation, operation, optionalBody } from './operation';
import {
  CLAIM_ERRORS,
  COMMAND_ERRORS,
  DISSOCIATE_ERRORS,
  LOGIN_ERRORS,
  PRODUCT_ERRORS,
  REFRESH_ERRORS,
} from './operation-errors';

/** Without leading zeros, so that one output has one path. */
const OUTPUT_NUMBER = /^(0|[1-9][0-9]{0,2})$/;

/** The current generation. */
export const V1_OPERATIONS: readonly Operation[] = [
  operation({
    operationId: 'login',
    method: 'post',
    path: '/api/v1/auth/login',
    summary: 'Log in with a client key',
    tag: 'tokens',
    open: true,
    body: body(LoginBody, { clientKey: CLIENT_KEY }),
    answer: json(LoginAnswer, 'A pair of tokens, and how long the access token is good.', {
      ...PAIR,
      tokenType: 'Bearer',
      expiresIn: 600,
    }),
    errors: LOGIN_ERRORS,
    async handle({ actions, address }, { clientKey }) {
      const pair = await actions.login(clientKey, address());
      return { ...pair, tokenType: 'Bearer', expiresIn: ACCESS_TOKEN_SECONDS };
    },
  }),
  operation({
    operationId: 'refresh',
    method: 'post',
    path: '/api/v1/auth/refresh',
    summary: 'Renew the tokens',
    tag: 'tokens',
    open: true,
    body: body(RefreshBody, { refreshToken: REFRESH_TOKEN }),
    answer: json(TokenPair, 'A new pair.', PAIR),
    errors: REFRESH_ERRORS,
    handle: ({ actions, address }, { refreshToken }) =>
      actions.refresh({ refreshToken, clientKey: undefined, address: address() }),
  }),
  operation({
    operationId: 'addProduct',
    method: 'post',
    path: '/api/v1/products',
    summary: 'Associate a product by its key',
    tag: 'products',
    body: body(AddProductBody, PRODUCT),
    answer: created('Associated, or it was so already.'),
    errors: CLAIM_ERRORS,
    handle: ({ actions, clientId, address }, { productLogin, productKey }) =>
      actions.associate({ clientId: clientId(), productLogin, productKey, address: address() }),
  }),
  operation({
    operationId: 'deleteProduct',
    method: 'delete',
    path: '/api/v1/products/{productLogin}',
    summary: 'Dissociate a product',
    tag: 'products',
    body: NO_BODY,
    answer: noContent('Dissociated.'),
    errors: DISSOCIATE_ERRORS,
    handle: ({ actions, clientId, param }) => actions.dissociate(clientId(), param('productLogin')),
  }),
  operation({
    operationId: 'getProductState',
    method: 'get',
    path: '/api/v1/products/{productLogin}/state',
    summary: 'Last known state of a product',
    tag: 'products',
    body: NO_BODY,
    answer: json(ProductState, 'Last known, never live.', STATE),
    errors: PRODUCT_ERRORS,
    handle: ({ actions, clientId, param }) => actions.productState(clientId(), param('productLogin')),
  }),
  operation({
    operationId: 'setOutput',
    method: 'patch',
    path: '/api/v1/products/{productLogin}/outputs/{numOutput}',
    summary: 'Set an output to a desired state',
    tag: 'outputs',
    body: body(StateBody, { state: 1 }),
    answer: SET_ANSWER,
    errors: COMMAND_ERRORS,
    handle: async (call, { state }) => call.actions.drive({ ...outputOf(call), action: { action: 'set', state } }),
  }),
  operation({
    operationId: 'toggleOutput',
    method: 'post',
    path: '/api/v1/products/{productLogin}/outputs/{numOutput}/toggle',
    summary: 'Toggle an output',
    tag: 'outputs',
    body: optionalBody(EmptyBody, {}),
    answer: TOGGLE_ANSWER,
    errors: COMMAND_ERRORS,
    handle: async (call) => call.actions.drive({ ...outputOf(call), action: { action: 'toggle' } }),
  }),
  operation({
    operationId: 'getCommand',
    method: 'get',
    path: '/api/v1/commands/{commandId}',
    summary: 'The outcome of a command that this client gave',
    tag: 'outputs',
    body: NO_BODY,
    answer: json(CommandStatus, 'The command and its outcome so far.', COMMAND),
    errors: ['bad-token', 'not-found', 'invalid-params', 'unknown'],
    handle: ({ actions, clientId, param }) => actions.commandStatus(clientId(), param('commandId')),
  }),
];

/** The output that a path names. Fails with `invalid-params`. */
function outputOf({ clientId, param }: Call): { clientId: string; productLogin: string; numOutput: number } {
  const numOutput = param('numOutput');
  if (!OUTPUT_NUMBER.test(numOutput)) throw new RelaygateError('invalid-params');
  return { clientId: clientId(), productLogin: param('productLogin'), numOutput: Number(numOutput) };
}
