import { afterEach, describe, expect, test } from '@jest/globals';
import { RelaygateClient } from '@relaygate/client';
import { OK, ScriptedApi } from '../../support/client/scripted-api';

const clientKey = 'rgc_k_s';
const added = new Map<string, PropertyDescriptor | undefined>();
/** As long as a test runs. */
function setGlobal(name: string, value: unknown): void {
  added.set(name, Object.getOwnPropertyDescriptor(globalThis, name));
  Object.defineProperty(globalThis, name, { value, configurable: true, writable: true });
}
afterEach(() => {
  for (const [name, before] of added) {
    if (before) Object.defineProperty(globalThis, name, before);
    else Reflect.deleteProperty(globalThis, name);
  }
  added.clear();
});

describe('baseUrl', () => {
  test.each([
    ['http://127.0.0.1:8080/api', 'http://127.0.0.1:8080/api/v1/'],
    ['http://localhost/api/', 'http://localhost/api/v1/'],
    ['http://[::1]:80/api', 'http://[::1]/api/v1/'],
    ['https://gate.example/behind/api', 'https://gate.example/behind/api/v1/'],
  ])('%s is taken', async (baseUrl, begin) => {
    const urls: string[] = [];
    const fetch = async (url: unknown) => {
      urls.push(String(url));
      return { status: 201, headers: new Headers(), text: async () => 'OK' } as Response;
    };
    await new RelaygateClient({ baseUrl, getAccessToken: () => 'a', fetch: fetch as never }).addProduct('gate', 'P');
    expect(urls).toEqual([`${begin}products`]);
  });

  test.each([
    ['http://gate.example/api', /https/],
    ['http://127.0.0.1.example/api', /https/],
    ['ftp://127.0.0.1/api', /https/],
    ['gate.example/api', /no address/],
    ['/api', /no address/],
    ['https://gate.example', /end with \/api/],
    ['https://gate.example/api/v1', /end with \/api/],
    ['https://user:secret@gate.example/api', /without user/],
    ['https://gate.example/api?a=b', /query/],
    ['https://gate.example/api#a', /fragment/],
  ])('%s is refused', (baseUrl, says) => {
    expect(() => new RelaygateClient({ baseUrl, clientKey })).toThrow(says);
    expect(() => new RelaygateClient({ baseUrl, clientKey })).toThrow(TypeError);
  });

  test('of a page may be relative to it', async () => {
    setGlobal('location', { href: 'https://app.example/gates/' });
    const api = new ScriptedApi();
    api.reply = () => OK;
    await api.end(api.client({ baseUrl: '/api', getAccessToken: () => 'a' }).addProduct('gate', 'P'));
    expect(api.calls.map(({ path }) => path)).toEqual(['https://app.example/api/v1/products']);
  });
});

describe('a credential', () => {
  const baseUrl = 'https://gate.example/api';

  test('is the client key or getAccessToken, not both, not none', () => {
    for (const options of [{ baseUrl }, { baseUrl, clientKey, getAccessToken: () => 'a' }])
      expect(() => new RelaygateClient(options)).toThrow('give either clientKey or getAccessToken');
  });

  test('of a page is never a client key', () => {
    setGlobal('window', {});
    setGlobal('document', {});
    expect(() => new RelaygateClient({ baseUrl, clientKey })).toThrow(/client key in a page is no secret/);
    expect(() => new RelaygateClient({ baseUrl, getAccessToken: () => 'a' })).not.toThrow();
  });
});

test('keys are made where crypto has no randomUUID, as in a page that came over plain HTTP', async () => {
  const { getRandomValues } = globalThis.crypto;
  setGlobal('crypto', { getRandomValues: getRandomValues.bind(globalThis.crypto) });
  const api = new ScriptedApi();
  const gate = api.client().product('gate').output(0);
  for (let n = 0; n < 2; n += 1) await api.end(gate.toggle());
  const keys = api.requests.map(({ headers }) => headers['Idempotency-Key']);
  for (const key of keys) expect(key).toMatch(/^[0-9a-f]{32}$/);
  expect(new Set(keys).size).toBe(2);
});
