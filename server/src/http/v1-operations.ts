import {
  ACCESS_TOKEN_SECONDS,
  AddProductBody,
  CommandStatus,
  EmptyBody,
  LoginBody,
  ProductState,
  RefreshBody,
  RelaygateError,
  StateBody,
  TokenAnswer,
  type TokenPair,
} from '@relaygate/shared';
import type { CommandAnswer, OutputAction } from '../commands/order';
import type { RateLimit } from '../limits/budgets';
import { created, json, noContent, SET_ANSWER, TOGGLE_ANSWER } from './answer-form';
import { underKey } from './idempotency-key';
import { CLIENT_KEY, COMMAND, PAIR, PRODUCT, REFRESH_TOKEN, STATE } from './openapi/examples';
import { body, type Call, NO_BODY, type Operation, operation, optionalBody } from './operation';
import {
  CLAIM_ERRORS,
  DISSOCIATE_ERRORS,
  IDEMPOTENT_COMMAND_ERRORS,
  LOGIN_ERRORS,
  PRODUCT_ERRORS,
  REFRESH_ERRORS,
} from './operation-errors';

/** Without leading zeros, so that one output has one path. */
const OUTPUT_NUMBER = /^(0|[1-9][0-9]{0,2})$/;

const TOKEN_ANSWER = json(TokenAnswer, 'A pair of tokens, and how long the access token is good.', {
  ...PAIR,
  tokenType: 'Bearer',
  expiresIn: ACCESS_TOKEN_SECONDS,
});

/** The current generation. */
export const V1_OPERATIONS: readonly Operation[] = [
  operation({
    operationId: 'login',
    method: 'post',
    path: '/api/v1/auth/login',
    summary: 'Log in with a client key',
    description:
      'The access token is good for 10 minutes, the refresh token until it is used. Wrong keys are limited by address and key id.',
    tag: 'tokens',
    open: true,
    body: body(LoginBody, { clientKey: CLIENT_KEY }),
    answer: TOKEN_ANSWER,
    errors: LOGIN_ERRORS,
    handle: async ({ actions, address }, { clientKey }) => withLifetime(await actions.login(clientKey, address())),
  }),
  operation({
    operationId: 'refresh',
    method: 'post',
    path: '/api/v1/auth/refresh',
    summary: 'Renew the tokens',
    description:
      'A refresh token is good once. If the answer is lost, the same token may be sent again within 30 seconds.',
    tag: 'tokens',
    open: true,
    body: body(RefreshBody, { refreshToken: REFRESH_TOKEN }),
    answer: TOKEN_ANSWER,
    errors: REFRESH_ERRORS,
    handle: async ({ actions, address }, { refreshToken }) =>
      withLifetime(await actions.refresh({ refreshToken, clientKey: undefined, address: address() })),
  }),
  operation({
    operationId: 'addProduct',
    method: 'post',
    path: '/api/v1/products',
    summary: 'Associate a product by its key',
    description: 'Gives this client the right to control the product. Repeating it is harmless.',
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
    description: 'Takes the right back. The other clients of the product keep theirs.',
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
    description: 'What the device reported last, with the time of each report. It asks nothing of the device.',
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
    description:
      'Waits up to 5 seconds until the device confirms. State 1 gives a pulse if the output is an impulse output. After a 504 ask for the outcome by the Command-Id.',
    tag: 'outputs',
    body: body(StateBody, { state: 1 }),
    answer: SET_ANSWER,
    limits: commandLimits,
    idempotent: true,
    errors: IDEMPOTENT_COMMAND_ERRORS,
    handle: async (call, { state }) => drive(call, { action: 'set', state }),
  }),
  operation({
    operationId: 'toggleOutput',
    method: 'post',
    path: '/api/v1/products/{productLogin}/outputs/{numOutput}/toggle',
    summary: 'Toggle an output',
    description:
      'Waits up to 5 seconds until the device confirms. An impulse output gives a pulse. After a 504 ask for the outcome by the Command-Id; never toggle again blindly.',
    tag: 'outputs',
    body: optionalBody(EmptyBody, {}),
    answer: TOGGLE_ANSWER,
    limits: commandLimits,
    idempotent: true,
    errors: IDEMPOTENT_COMMAND_ERRORS,
    handle: async (call) => drive(call, { action: 'toggle' }),
  }),
  operation({
    operationId: 'getCommand',
    method: 'get',
    path: '/api/v1/commands/{commandId}',
    summary: 'The outcome of a command that this client gave',
    description: 'What became of a command after a 504, or of any other one. The id is in Command-Id.',
    tag: 'outputs',
    body: NO_BODY,
    answer: json(CommandStatus, 'The command and its outcome so far.', COMMAND),
    errors: ['bad-token', 'not-found', 'invalid-params', 'unknown'],
    handle: ({ actions, clientId, param }) => actions.commandStatus(clientId(), param('commandId')),
  }),
];

function withLifetime(pair: TokenPair): TokenAnswer {
  return { ...pair, tokenType: 'Bearer', expiresIn: ACCESS_TOKEN_SECONDS };
}

function drive(call: Call, action: OutputAction): Promise<CommandAnswer> {
  return call.actions.drive(underKey({ ...outputOf(call), action }, call.idempotencyKey()));
}

function commandLimits({ actions, clientId, param }: Call): RateLimit[] {
  return actions.commandLimits(clientId(), param('productLogin'));
}

/** The output that a path names. Fails with `invalid-params`. */
function outputOf({ clientId, param }: Call): { clientId: string; productLogin: string; numOutput: number } {
  const numOutput = param('numOutput');
  if (!OUTPUT_NUMBER.test(numOutput)) throw new RelaygateError('invalid-params');
  return { clientId: clientId(), productLogin: param('productLogin'), numOutput: Number(numOutput) };
}
