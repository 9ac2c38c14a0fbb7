export type {
  CommandOutcome,
  CommandPage,
  CommandResult,
  CommandStatus,
  ErrorCode,
  InputStatus,
  ListedProduct,
  OutputState,
  OutputStatus,
  ProductPage,
  ProductState,
} from './api-types';
export { RelaygateClient } from './client';
export type {
  CallOptions,
  ClientOptions,
  CommandListOptions,
  CommandOptions,
  GetAccessToken,
  PageOptions,
  ProductListOptions,
} from './options';
export type { Output, Product } from './product';
export { type ClientErrorCode, RelaygateError } from './relaygate-error';
