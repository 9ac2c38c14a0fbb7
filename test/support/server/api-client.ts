import type { Answer } from './answer';
import { checkAgainstOpenApi } from './openapi-check';

export type { Answer };

export interface CallOptions {
  token?: string;
  headers?: Record<string, string>;
}

/** One HTTP call with a JSON body (a string or bytes go out as they are); its answer is held to the OpenAPI document. */
export async function call(
  method: string,
  url: string,
  body?: unknown,
  { token, headers }: CallOptions = {},
): Promise<Answer> {
  const raw = typeof body === 'string' || body instanceof Uint8Array;
  const response = await fetch(url, {
    method,
    headers: {
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      ...headers,
    },
    ...(body === undefined ? {} : { body: raw ? (body as string) : JSON.stringify(body) }),
  });
  const text = await response.text();
  const isJson = response.headers.get('content-type')?.startsWith('application/json');
  const json = isJson ? JSON.parse(text) : undefined;
  const answer = { status: response.status, headers: response.headers, text, json };
  checkAgainstOpenApi(method, url, answer);
  return answer;
}

/** The seven operations of one generation of the API, so that one table of tests runs over both. */
export interface Generation {
  readonly name: 'legacy' | 'v1';
  login(clientKey: unknown): Promise<Answer>;
  refresh(refreshToken: unknown, clientKey?: unknown): Promise<Answer>;
  addProduct(productLogin: unknown, productKey: unknown, options?: CallOptions): Promise<Answer>;
  deleteProduct(productLogin: string, options?: CallOptions): Promise<Answer>;
  state(productLogin: string, options?: CallOptions): Promise<Answer>;
  set(productLogin: string, numOutput: unknown, state: unknown, options?: CallOptions): Promise<Answer>;
  toggle(productLogin: string, numOutput: unknown, options?: CallOptions): Promise<Answer>;
}

export function legacy(url: string): Generation {
  const post = (path: string, body: object, options?: CallOptions) => call('POST', `${url}/api/${path}`, body, options);
  return {
    name: 'legacy',
    login: (clientKey) => post('login', { clientKey }),
    refresh: (refreshToken, clientKey) => post('refreshToken', { refreshToken, clientKey }),
    addProduct: (productLogin, productKey, options) => post('addProduct', { productLogin, productKey }, options),
    deleteProduct: (productLogin, options) => post('deleteProduct', { productLogin }, options),
    state: (productLogin, options) => post('getProductStates', { productLogin }, options),
    set: (productLogin, numOutput, state, options) =>
      post('setOutputProduct', { productLogin, numOutput, state }, options),
    toggle: (productLogin, numOutput, options) => post('toggleOutputProduct', { productLogin, numOutput }, options),
  };
}

export function v1(url: string): Generation {
  const api = (method: string, path: string, body?: object, options?: CallOptions) =>
    call(method, `${url}/api/v1/${path}`, body, options);
  const product = (productLogin: string) => `products/${encodeURIComponent(productLogin)}`;
  return {
    name: 'v1',
    login: (clientKey) => api('POST', 'auth/login', { clientKey }),
    refresh: (refreshToken) => api('POST', 'auth/refresh', { refreshToken }),
    addProduct: (productLogin, productKey, options) => api('POST', 'products', { productLogin, productKey }, options),
    deleteProduct: (productLogin, options) => api('DELETE', product(productLogin), undefined, options),
    state: (productLogin, options) => api('GET', `${product(productLogin)}/state`, undefined, options),
    set: (productLogin, numOutput, state, options) =>
      api('PATCH', `${product(productLogin)}/outputs/${numOutput}`, { state }, options),
    toggle: (productLogin, numOutput, options) =>
      api('POST', `${product(productLogin)}/outputs/${numOutput}/toggle`, {}, options),
  };
}

export const GENERATIONS = [legacy, v1] as const;
