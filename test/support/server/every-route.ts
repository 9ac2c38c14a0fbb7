/** The operations of both generations, for tests that go over all of them. */
export interface Route {
  readonly name: string;
  readonly generation: 'legacy' | 'v1';
  readonly method: 'POST' | 'PATCH' | 'GET' | 'DELETE';
  /** Below /api; `productLogin` goes into it as it is, percent-encoded by the caller. */
  path(productLogin: string, numOutput: string): string;
  readonly takesBody: boolean;
  /** Comes without an access token. */
  readonly open: boolean;
}

const legacyRoute = (path: string, open = false): Route => ({
  name: `legacy ${path}`,
  generation: 'legacy',
  method: 'POST',
  path: () => `/${path}`,
  takesBody: true,
  open,
});

const v1Route = (method: Route['method'], path: Route['path'], takesBody: boolean, open = false): Route => ({
  name: `${method} ${path('{productLogin}', '{numOutput}')}`,
  generation: 'v1',
  method,
  path: (...values) => `/v1${path(...values)}`,
  takesBody,
  open,
});

export const EVERY_ROUTE: readonly Route[] = [
  legacyRoute('login', true),
  legacyRoute('refreshToken', true),
  legacyRoute('addProduct'),
  legacyRoute('deleteProduct'),
  legacyRoute('getProductStates'),
  legacyRoute('setOutputProduct'),
  legacyRoute('toggleOutputProduct'),
  v1Route('POST', () => '/auth/login', true, true),
  v1Route('POST', () => '/auth/refresh', true, true),
  v1Route('POST', () => '/products', true),
  v1Route('DELETE', (login) => `/products/${login}`, false),
  v1Route('GET', (login) => `/products/${login}/state`, false),
  v1Route('PATCH', (login, number) => `/products/${login}/outputs/${number}`, true),
  v1Route('POST', (login, number) => `/products/${login}/outputs/${number}/toggle`, true),
  v1Route('GET', (login) => `/commands/${login}`, false),
];
