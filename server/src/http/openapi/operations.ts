import {
  AddProductBody,
  AlreadySetBody,
  CommandStatus,
  EmptyBody,
  type ErrorCode,
  LegacyRefreshBody,
  LoginAnswer,
  LoginBody,
  ProductBody,
  ProductState,
  RefreshBody,
  SetOutputBody,
  StateBody,
  ToggleOutputBody,
  TokenPair,
} from '@relaygate/shared';
import { CLIENT_KEY, COMMAND, PAIR, PRODUCT, REFRESH_TOKEN, STATE } from './examples';

/** Plain text, JSON by a schema of `shared` (under the name it gets in the document), or no body at all. */
export type Success =
  | { status: 200 | 201; text: 'OK'; description: string }
  | { status: 200; json: SchemaName; description: string; example: object }
  | { status: 204; description: string };

export interface Operation {
  operationId: string;
  method: 'get' | 'post' | 'patch' | 'delete';
  path: string;
  summary: string;
  tag: 'tokens' | 'products' | 'outputs' | 'server';
  /** Of the legacy generation: deprecated, and every answer names its successor. */
  legacy?: true;
  /** Without an access token. */
  open?: true;
  body?: { schema: SchemaName; required: boolean; example: object };
  success: Success[];
  errors: ErrorCode[];
  /** Acquires the product's command slot: its answers carry Command-Id. */
  command?: true;
}

export const SCHEMAS = {
  LoginBody,
  LegacyRefreshBody,
  RefreshBody,
  AddProductBody,
  ProductBody,
  SetOutputBody,
  ToggleOutputBody,
  StateBody,
  EmptyBody,
  AlreadySetBody,
  TokenPair,
  LoginAnswer,
  ProductState,
  CommandStatus,
};
export type SchemaName = keyof typeof SCHEMAS;

const OK: Success = { status: 200, text: 'OK', description: 'Done.' };
const ALREADY_SET: Success = {
  status: 200,
  json: 'AlreadySetBody',
  description: 'The on-off output was in the desired state; nothing moved.',
  example: { already_set: true },
};
const PERFORMED: Success = { ...OK, description: 'The device confirmed: executed, an impulse at its beginning.' };
const ANY_STATE: Success = {
  status: 200,
  json: 'ProductState',
  description: 'Last known, never live.',
  example: STATE,
};
const NEW_PAIR: Success = { status: 200, json: 'TokenPair', description: 'A new pair.', example: PAIR };

const BODY_ERRORS: ErrorCode[] = ['invalid-params', 'payload-too-large', 'unknown'];
const LOGIN_ERRORS: ErrorCode[] = ['client-key-not-found', 'too-many-requests', ...BODY_ERRORS];
const REFRESH_ERRORS: ErrorCode[] = ['bad-token', 'too-many-requests', ...BODY_ERRORS];
const CLAIM_ERRORS: ErrorCode[] = ['bad-token', 'product-not-found', 'too-many-requests', ...BODY_ERRORS];
const PRODUCT_ERRORS: ErrorCode[] = ['bad-token', 'user-not-allowed', 'product-not-found', 'invalid-params', 'unknown'];
const DISSOCIATE_ERRORS: ErrorCode[] = [...PRODUCT_ERRORS, 'too-many-requests'];
const COMMAND_ERRORS: ErrorCode[] = [
  ...PRODUCT_ERRORS,
  'payload-too-large',
  'request-already-pending',
  'device-timeout',
];

const LEGACY_PRODUCT = { schema: 'ProductBody', required: true, example: { productLogin: 'gate-1' } } as const;
const LEGACY = { method: 'post', legacy: true } as const;

/** Every operation of the server, in the order of the contract; the routes are held to this table by tests. */
export const OPERATIONS: readonly Operation[] = [
  {
    ...LEGACY,
    operationId: 'legacyLogin',
    path: '/api/login',
    summary: 'Log in with a client key',
    tag: 'tokens',
    open: true,
    body: { schema: 'LoginBody', required: true, example: { clientKey: CLIENT_KEY } },
    success: [{ ...NEW_PAIR, description: 'A pair of tokens, good for both generations.' }],
    errors: LOGIN_ERRORS,
  },
  {
    ...LEGACY,
    operationId: 'legacyRefreshToken',
    path: '/api/refreshToken',
    summary: 'Renew the tokens',
    tag: 'tokens',
    open: true,
    body: {
      schema: 'LegacyRefreshBody',
      required: true,
      example: { clientKey: CLIENT_KEY, refreshToken: REFRESH_TOKEN },
    },
    success: [NEW_PAIR],
    errors: REFRESH_ERRORS,
  },
  {
    ...LEGACY,
    operationId: 'legacyAddProduct',
    path: '/api/addProduct',
    summary: 'Associate a product by its key',
    tag: 'products',
    body: { schema: 'AddProductBody', required: true, example: PRODUCT },
    success: [OK],
    errors: CLAIM_ERRORS,
  },
  {
    ...LEGACY,
    operationId: 'legacyDeleteProduct',
    path: '/api/deleteProduct',
    summary: 'Dissociate a product',
    tag: 'products',
    body: LEGACY_PRODUCT,
    success: [OK],
    errors: [...DISSOCIATE_ERRORS, 'payload-too-large'],
  },
  {
    ...LEGACY,
    operationId: 'legacyGetProductStates',
    path: '/api/getProductStates',
    summary: 'Last known state of a product',
    tag: 'products',
    body: LEGACY_PRODUCT,
    success: [ANY_STATE],
    errors: [...PRODUCT_ERRORS, 'payload-too-large'],
  },
  {
    ...LEGACY,
    operationId: 'legacySetOutputProduct',
    path: '/api/setOutputProduct',
    summary: 'Set an output to a desired state',
    tag: 'outputs',
    command: true,
    body: { schema: 'SetOutputBody', required: true, example: { productLogin: 'gate-1', numOutput: 0, state: 1 } },
    success: [PERFORMED, ALREADY_SET],
    errors: COMMAND_ERRORS,
  },
  {
    ...LEGACY,
    operationId: 'legacyToggleOutputProduct',
    path: '/api/toggleOutputProduct',
    summary: 'Toggle an output',
    tag: 'outputs',
    command: true,
    body: { schema: 'ToggleOutputBody', required: true, example: { productLogin: 'gate-1', numOutput: 0 } },
    success: [PERFORMED],
    errors: COMMAND_ERRORS,
  },
  {
    operationId: 'login',
    method: 'post',
    path: '/api/v1/auth/login',
    summary: 'Log in with a client key',
    tag: 'tokens',
    open: true,
    body: { schema: 'LoginBody', required: true, example: { clientKey: CLIENT_KEY } },
    success: [
      {
        status: 200,
        json: 'LoginAnswer',
        description: 'A pair of tokens, and how long the access token is good.',
        example: { ...PAIR, tokenType: 'Bearer', expiresIn: 600 },
      },
    ],
    errors: LOGIN_ERRORS,
  },
  {
    operationId: 'refresh',
    method: 'post',
    path: '/api/v1/auth/refresh',
    summary: 'Renew the tokens',
    tag: 'tokens',
    open: true,
    body: { schema: 'RefreshBody', required: true, example: { refreshToken: REFRESH_TOKEN } },
    success: [NEW_PAIR],
    errors: REFRESH_ERRORS,
  },
  {
    operationId: 'addProduct',
    method: 'post',
    path: '/api/v1/products',
    summary: 'Associate a product by its key',
    tag: 'products',
    body: { schema: 'AddProductBody', required: true, example: PRODUCT },
    success: [{ status: 201, text: 'OK', description: 'Associated, or it was so already.' }],
    errors: CLAIM_ERRORS,
  },
  {
    operationId: 'deleteProduct',
    method: 'delete',
    path: '/api/v1/products/{productLogin}',
    summary: 'Dissociate a product',
    tag: 'products',
    success: [{ status: 204, description: 'Dissociated.' }],
    errors: DISSOCIATE_ERRORS,
  },
  {
    operationId: 'getProductState',
    method: 'get',
    path: '/api/v1/products/{productLogin}/state',
    summary: 'Last known state of a product',
    tag: 'products',
    success: [ANY_STATE],
    errors: PRODUCT_ERRORS,
  },
  {
    operationId: 'setOutput',
    method: 'patch',
    path: '/api/v1/products/{productLogin}/outputs/{numOutput}',
    summary: 'Set an output to a desired state',
    tag: 'outputs',
    command: true,
    body: { schema: 'StateBody', required: true, example: { state: 1 } },
    success: [PERFORMED, ALREADY_SET],
    errors: COMMAND_ERRORS,
  },
  {
    operationId: 'toggleOutput',
    method: 'post',
    path: '/api/v1/products/{productLogin}/outputs/{numOutput}/toggle',
    summary: 'Toggle an output',
    tag: 'outputs',
    command: true,
    body: { schema: 'EmptyBody', required: false, example: {} },
    success: [PERFORMED],
    errors: COMMAND_ERRORS,
  },
  {
    operationId: 'getCommand',
    method: 'get',
    path: '/api/v1/commands/{commandId}',
    summary: 'What became of a command that this client gave',
    tag: 'outputs',
    success: [
      {
        status: 200,
        json: 'CommandStatus',
        description: 'The command and its outcome so far.',
        example: COMMAND,
      },
    ],
    errors: ['bad-token', 'not-found', 'invalid-params', 'unknown'],
  },
];
