import {
  AddProductBody,
  LegacyProductState,
  LegacyRefreshBody,
  LoginBody,
  ProductBody,
  SetOutputBody,
  ToggleOutputBody,
  TokenPair,
} from '@relaygate/shared';
import { json, LEGACY_SET_ANSWER, LEGACY_TOGGLE_ANSWER, ok } from './answer-form';
import { CLIENT_KEY, LEGACY_STATE, PAIR, PRODUCT, REFRESH_TOKEN } from './openapi/examples';
import { body, type Operation, operation } from './operation';
import {
  CLAIM_ERRORS,
  COMMAND_ERRORS,
  DISSOCIATE_ERRORS,
  LOGIN_ERRORS,
  PRODUCT_ERRORS,
  REFRESH_ERRORS,
} from './operation-errors';

/** The deprecated generation, in the order of the contract, with the same actions as v1. */
export const LEGACY_OPERATIONS: readonly Operation[] = [
  operation({
    operationId: 'legacyLogin',
    method: 'post',
    path: '/api/login',
    successor: '/api/v1/auth/login',
    summary: 'Log in with a client key',
    description: 'Use `POST /api/v1/auth/login` (login), whose answer also has the lifetime of the access token.',
    tag: 'tokens',
    open: true,
    body: body(LoginBody, { clientKey: CLIENT_KEY }),
    answer: json(TokenPair, 'A pair of tokens, good for both generations.', PAIR),
    errors: LOGIN_ERRORS,
    handle: ({ actions, address }, { clientKey }) => actions.login(clientKey, address()),
  }),
  operation({
    operationId: 'legacyRefreshToken',
    method: 'post',
    path: '/api/refreshToken',
    successor: '/api/v1/auth/refresh',
    summary: 'Renew the tokens',
    description: 'Use `POST /api/v1/auth/refresh` (refresh), which takes no client key.',
    tag: 'tokens',
    open: true,
    body: body(LegacyRefreshBody, { clientKey: CLIENT_KEY, refreshToken: REFRESH_TOKEN }),
    answer: json(TokenPair, 'A new pair.', PAIR),
    errors: REFRESH_ERRORS,
    handle: ({ actions, address }, { clientKey, refreshToken }) =>
      actions.refresh({ refreshToken, clientKey, address: address() }),
  }),
  operation({
    operationId: 'legacyAddProduct',
    method: 'post',
    path: '/api/addProduct',
    successor: '/api/v1/products',
    summary: 'Associate a product by its key',
    description: 'Use `POST /api/v1/products` (addProduct), which answers 201.',
    tag: 'products',
    body: body(AddProductBody, PRODUCT),
    answer: ok('Done.'),
    errors: CLAIM_ERRORS,
    handle: ({ actions, clientId, address }, { productLogin, productKey }) =>
      actions.associate({ clientId: clientId(), productLogin, productKey, address: address() }),
  }),
  operation({
    operationId: 'legacyDeleteProduct',
    method: 'post',
    path: '/api/deleteProduct',
    successor: '/api/v1/products/{productLogin}',
    summary: 'Dissociate a product',
    description: 'Use `DELETE /api/v1/products/{productLogin}` (deleteProduct), which answers 204.',
    tag: 'products',
    body: body(ProductBody, { productLogin: 'demo-gate' }),
    answer: ok('Done.'),
    errors: [...DISSOCIATE_ERRORS, 'payload-too-large'],
    handle: ({ actions, clientId }, { productLogin }) => actions.dissociate(clientId(), productLogin),
  }),
  operation({
    operationId: 'legacyGetProductStates',
    method: 'post',
    path: '/api/getProductStates',
    successor: '/api/v1/products/{productLogin}/state',
    summary: 'Last known state of a product',
    description: 'Use `GET /api/v1/products/{productLogin}/state` (getProductState), whose answer also has the inputs.',
    tag: 'products',
    body: body(ProductBody, { productLogin: 'demo-gate' }),
    answer: json(LegacyProductState, 'Last known, never live.', LEGACY_STATE),
    errors: [...PRODUCT_ERRORS, 'payload-too-large'],
    async handle({ actions, clientId }, { productLogin }) {
      const { inputs: _onlyInV1, ...state } = await actions.productState(clientId(), productLogin);
      return state;
    },
  }),
  operation({
    operationId: 'legacySetOutputProduct',
    method: 'post',
    path: '/api/setOutputProduct',
    successor: '/api/v1/products/{productLogin}/outputs/{numOutput}',
    summary: 'Set an output to a desired state',
    description: 'Use `PATCH /api/v1/products/{productLogin}/outputs/{numOutput}` (setOutput).',
    tag: 'outputs',
    body: body(SetOutputBody, { productLogin: 'demo-gate', numOutput: 0, state: 1 }),
    answer: LEGACY_SET_ANSWER,
    errors: COMMAND_ERRORS,
    handle: ({ actions, clientId }, { productLogin, numOutput, state }) =>
      actions.drive({ clientId: clientId(), productLogin, numOutput, action: { action: 'set', state } }),
  }),
  operation({
    operationId: 'legacyToggleOutputProduct',
    method: 'post',
    path: '/api/toggleOutputProduct',
    successor: '/api/v1/products/{productLogin}/outputs/{numOutput}/toggle',
    summary: 'Toggle an output',
    description: 'Use `POST /api/v1/products/{productLogin}/outputs/{numOutput}/toggle` (toggleOutput).',
    tag: 'outputs',
    body: body(ToggleOutputBody, { productLogin: 'demo-gate', numOutput: 0 }),
    answer: LEGACY_TOGGLE_ANSWER,
    errors: COMMAND_ERRORS,
    handle: ({ actions, clientId }, { productLogin, numOutput }) =>
      actions.drive({ clientId: clientId(), productLogin, numOutput, action: { action: 'toggle' } }),
  }),
];
