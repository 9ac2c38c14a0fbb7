/** What an application would write over generated clients: a login, commands, a state, an error, and a `switch` over all codes. */

const OVER_OPENAPI_FETCH = `\
import createClient from 'openapi-fetch';
import type { components, paths } from './schema';

const [, , baseUrl, clientKey = '', productLogin = ''] = process.argv;
const api = createClient<paths>({ baseUrl, headers: { Accept: 'application/json' } });
const { data: tokens } = await api.POST('/api/v1/auth/login', { body: { clientKey } });
const headers = { Authorization: \`Bearer \${tokens?.accessToken}\` };
const path = { productLogin, numOutput: 0 };

const set = await api.PATCH('/api/v1/products/{productLogin}/outputs/{numOutput}', {
  params: { path },
  headers,
  body: { state: 1 },
});
const toggle = await api.POST('/api/v1/products/{productLogin}/outputs/{numOutput}/toggle', { params: { path }, headers });
const missing = await api.POST('/api/v1/products/{productLogin}/outputs/{numOutput}/toggle', {
  params: { path: { productLogin: 'nobody', numOutput: 0 } },
  headers,
});
const { data: state } = await api.GET('/api/v1/products/{productLogin}/state', { params: { path }, headers });
const mode: components['schemas']['OutputMode'] | null | undefined = state?.outputs[0]?.mode;

function advice({ error }: NonNullable<typeof toggle.error>): string {
  switch (error) {
`;

const OVER_HEY_API = `\
import { getProductState, login, type OutputMode, setOutput, type ToggleOutputError, toggleOutput } from './hey';
import { client } from './hey/client.gen';

const [, , baseUrl, clientKey = '', productLogin = ''] = process.argv;
client.setConfig({ ...(baseUrl && { baseUrl }), headers: { Accept: 'application/json' } });
const { data: tokens } = await login({ body: { clientKey } });
client.setConfig({ auth: tokens?.accessToken ?? '' });
const path = { productLogin, numOutput: 0 };

const set = await setOutput({ path, body: { state: 1 } });
const toggle = await toggleOutput({ path });
const missing = await toggleOutput({ path: { productLogin: 'nobody', numOutput: 0 } });
const { data: state } = await getProductState({ path });
const mode: OutputMode | null | undefined = state?.outputs[0]?.mode;

function advice({ error }: ToggleOutputError): string {
  switch (error) {
`;

/** Ends the program of either; `satisfies never` compiles only if no code is left. */
const EVERY_CODE = `\
    case 'bad-token':
      return 'log in';
    case 'user-not-allowed':
    case 'product-not-found':
      return 'ask the operator';
    case 'request-already-pending':
    case 'too-many-requests':
    case 'unknown':
      return 'later';
    case 'invalid-params':
    case 'idempotency-key-reused':
    case 'payload-too-large':
    case 'method-not-allowed':
    case 'bad-request':
      return 'mend the program';
    case 'device-timeout':
      return 'ask for the outcome';
    default:
      return error satisfies never;
  }
}

console.log(
  JSON.stringify({
    set: typeof set.data === 'object' && 'status' in set.data,
    toggle: toggle.data,
    missing: missing.error && advice(missing.error),
    mode,
    refreshIn: tokens?.expiresIn,
  }),
);
`;

export const PROGRAMS = {
  'openapi-fetch': OVER_OPENAPI_FETCH + EVERY_CODE,
  'hey-api': OVER_HEY_API + EVERY_CODE,
} as const;
