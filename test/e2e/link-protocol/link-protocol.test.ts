/** shared/README.md is enough to write a device: one that holds to it and imports nothing of ours meets the real server. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { Program, runToEnd } from '../../support/processes/program';
import { type Answer, call } from '../../support/server/api-client';
import { eventually } from '../../support/time/waiting';

const SERVER_FILE = 'server/bin/relaygate-server.js';
const SERVER_NAME = 'gate.example.com';
const PATIENCE_MS = 10_000;

interface Product {
  productLogin: string;
  productKey: string;
  enrolmentCode: string;
}

const folder = mkdtempSync(join(tmpdir(), 'rg-link-'));
const env = {
  RELAYGATE_DATA_DIR: join(folder, 'data'),
  RELAYGATE_LISTEN: '127.0.0.1:0',
  RELAYGATE_SERVER_NAME: SERVER_NAME,
};
let server: Program;
let url: string;
let token: string;
const devices: Program[] = [];

beforeAll(async () => {
  server = await Program.start({ name: 'relaygate-server', file: SERVER_FILE, args: ['start'], env });
  [, url = ''] = await server.line(/^listening on (\S+)$/, PATIENCE_MS);
  const { clientKey } = await operator<{ clientKey: string }>('client', 'create', '--name', 'app');
  const login = await call('POST', `${url}/api/v1/auth/login`, { clientKey });
  ({ accessToken: token } = login.json as { accessToken: string });
});
afterEach(async () => {
  await Promise.all(devices.splice(0).map((device) => device.stop()));
});
afterAll(async () => {
  await server?.stop();
  rmSync(folder, { recursive: true, force: true });
});

async function operator<T>(...args: string[]): Promise<T> {
  const printed = await runToEnd({ name: args.join(' '), file: SERVER_FILE, args: [...args, '--json'], env });
  return JSON.parse(printed);
}

const v1 = (method: string, path: string, body?: unknown): Promise<Answer> =>
  call(method, `${url}/api/v1/${path}`, body, { token });

/** A product of its own for each test, with its device linked. */
async function linkedDevice(...more: string[]): Promise<{ device: Program; login: string }> {
  const product = await operator<Product>('product', 'create', '--outputs', '4', '--activate-all');
  const { productLogin: login, productKey, enrolmentCode } = product;
  expect((await v1('POST', 'products', { productLogin: login, productKey })).status).toBe(201);
  const device = await Program.start({
    name: 'device',
    file: 'test/e2e/link-protocol/device.mjs',
    args: [
      ...['--server', url.replace(/^http/, 'ws'), '--server-name', SERVER_NAME],
      ...['--product', login, '--code', enrolmentCode, ...more],
    ],
  });
  devices.push(device);
  await device.line(/"event":"up"/, PATIENCE_MS);
  return { device, login };
}

const set = (login: string, numOutput: number, state: 0 | 1): Promise<Answer> =>
  v1('PATCH', `products/${login}/outputs/${numOutput}`, { state });

async function untilState(login: string, numOutput: number, state: 0 | 1): Promise<void> {
  const deadlineMs = Date.now() + PATIENCE_MS;
  for (;;) {
    const { json } = await v1('GET', `products/${login}/state`);
    const { outputs } = json as { outputs: { state: number | null }[] };
    if (outputs[numOutput]?.state === state) return;
    if (Date.now() > deadlineMs)
      throw new Error(`output ${numOutput} did not become ${state}: ${JSON.stringify(json)}`);
  }
}

describe('a device that knows nothing but the protocol’s text', () => {
  test('enrols, takes commands and confirms them', async () => {
    const { device, login } = await linkedDevice();
    expect((await set(login, 0, 1)).text).toBe('OK');
    await device.line(/"moved","numOutput":0,"state":1/, PATIENCE_MS);
    expect((await set(login, 0, 1)).json).toEqual({ already_set: true });
    expect((await v1('POST', `products/${login}/outputs/0/toggle`)).text).toBe('OK');
    await device.line(/"moved","numOutput":0,"state":0/, PATIENCE_MS);
  });

  test('reports its outputs, and the end of a pulse', async () => {
    const { login } = await linkedDevice();
    expect((await set(login, 3, 1)).text).toBe('OK');
    await untilState(login, 3, 1);
    await untilState(login, 3, 0);
    const { json } = await v1('GET', `products/${login}/state`);
    expect(json).toMatchObject({
      connected: true,
      outputs: [{ name: 'Lamp' }, {}, {}, { name: 'Gate', pulseMs: 300 }],
    });
  });

  test('reports its input, which the operator is shown too', async () => {
    const { login } = await linkedDevice();
    const contact = { numInput: 3, name: 'Gate contact', kind: 'contact', observedAt: expect.any(String) };
    const untilShown = (state: string) =>
      eventually(async () => {
        const { json } = await v1('GET', `products/${login}/state`);
        const { inputs } = json as { inputs: { state: string }[] };
        if (inputs[0]?.state !== state) return false;
        expect(inputs).toEqual([{ ...contact, state }]);
        return true;
      });
    await untilShown('closed');
    expect((await set(login, 3, 1)).text).toBe('OK');
    await untilShown('open');
    expect(await operator('product', 'show', login)).toMatchObject({ inputs: [{ ...contact, state: 'open' }] });
  });

  test('loses its link between the edge and the result: the resume report answers, with 200', async () => {
    const { device, login } = await linkedDevice('--cut-after', '1');
    const answer = await set(login, 1, 1);
    expect(answer.text).toBe('OK');
    await device.line(new RegExp(`"known":\\["${answer.headers.get('command-id')}"\\]`), PATIENCE_MS);
    expect((await set(login, 1, 1)).json).toEqual({ already_set: true });
  });

  test('loses its link before the edge: never started, so expired and not unknown', async () => {
    const { login } = await linkedDevice('--cut-before', '1');
    const answer = await set(login, 1, 1);
    expect(answer).toMatchObject({ status: 504, json: { error: 'device-timeout' } });
    const { json } = await v1('GET', `commands/${answer.headers.get('command-id')}`);
    expect(json).toMatchObject({ outcome: 'expired', reason: 'not-started' });
    expect((await set(login, 1, 1)).text).toBe('OK');
  });

  test('stands still until the deadline is over: 504, and nothing moves when it goes on (I2)', async () => {
    const { device, login } = await linkedDevice();
    device.kill('SIGSTOP');
    const answer = await set(login, 0, 1);
    expect(answer.status).toBe(504);
    device.kill('SIGCONT');
    const [line] = await device.line(/"result"|"moved"/, PATIENCE_MS);
    expect(line).toBe('"result"');
    await device.line(new RegExp(`"${answer.headers.get('command-id')}".*"expired"`), PATIENCE_MS);
  });

  test('is revoked: told so, and comes back no sooner than in 30 s', async () => {
    const { device, login } = await linkedDevice();
    await operator('product', 'revoke-device', login);
    const [, waitMs] = await device.line(/"closed","code":4410,"waitMs":([\d.]+)/, PATIENCE_MS);
    expect(Number(waitMs)).toBeGreaterThanOrEqual(30_000);
    expect((await v1('GET', `products/${login}/state`)).json).toMatchObject({ connected: false });
  });
});
