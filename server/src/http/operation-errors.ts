import type { ErrorCode } from '@relaygate/shared';

/** Error codes of similar operations. */
const BODY: readonly ErrorCode[] = ['invalid-params', 'payload-too-large', 'unknown'];

export const LOGIN_ERRORS: readonly ErrorCode[] = ['client-key-not-found', 'too-many-requests', ...BODY];
export const REFRESH_ERRORS: readonly ErrorCode[] = ['bad-token', 'too-many-requests', ...BODY];
export const CLAIM_ERRORS: readonly ErrorCode[] = ['bad-token', 'product-not-found', 'too-many-requests', ...BODY];
export const PRODUCT_ERRORS: readonly ErrorCode[] = [
  'bad-token',
  'user-not-allowed',
  'product-not-found',
  'invalid-params',
  'unknown',
];
export const DISSOCIATE_ERRORS: readonly ErrorCode[] = [...PRODUCT_ERRORS, 'too-many-requests'];
export const LIST_ERRORS: readonly ErrorCode[] = ['bad-token', 'invalid-params', 'too-many-requests', 'unknown'];
export const COMMAND_LIST_ERRORS: readonly ErrorCode[] = [...PRODUCT_ERRORS, 'too-many-requests'];
export const COMMAND_ERRORS: readonly ErrorCode[] = [
  ...PRODUCT_ERRORS,
  'payload-too-large',
  'request-already-pending',
  'too-many-requests',
  'device-timeout',
];
/** The same in v1. */
export const IDEMPOTENT_COMMAND_ERRORS: readonly ErrorCode[] = [...COMMAND_ERRORS, 'idempotency-key-reused'];
