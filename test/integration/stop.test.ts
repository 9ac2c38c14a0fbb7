import { describe, expect, test } from '@jest/globals';
import { type Clock, RelaygateError, UPLOAD_GRACE_MS } from '@relaygate/shared';
import { systemClock } from '@relaygate/shared/system';
import { call, v1 } from '../support/server/api-client';
import { RawHttp } from '../support/server/raw-http';
import { newIdentity, ScriptedDevice } from '../support/server/scripted-device';
import { startTestServer, type TestProduct, type TestServer } from '../support/server/test-server';
import { eventually } from '../support/time/waiting';

async function withLinkedGate(): Promise<{ server: TestServer; gate: TestProduct; token: string }> {
  const server = await startTestServer();
  const [gate, token] = [await server.newProduct(), await server.newToken()];
  await server.associate(token, gate);
  return { server, gate, token };
}

async function tookMs(work: () => Promise<void>): Promise<number> {
  const startMs = performance.now();
  await work();
  return performance.now() - startMs;
}

describe('a server that stops', () => {
  test('closes its links with 1012 and is done when nothing runs', async () => {
    const { server, gate } = await withLinkedGate();
    const device = await server.linkDevice(gate);
    expect(await tookMs(() => server.stop({ keepDevices: true }))).toBeLessThan(4_000);
    expect(await device.closing()).toBe(1012);
  });

  test('lets a running command finish first: its client has its answer', async () => {
    const { server, gate, token } = await withLinkedGate();
    const device = await server.linkDevice(gate);
    device.react = () => {};
    const answer = v1(server.url).set(gate.productLogin, 0, 1, { token });
    const command = await device.commanded();
    const stopped = server.stop({ keepDevices: true });
    await device.roundTrip();
    device.obey(command);
    expect((await answer).text).toBe('OK');
    await stopped;
    expect(device.closed?.code).toBe(1012);
  });

  test('waits for a command whose client has gone, and keeps its outcome', async () => {
    const { server, gate, token } = await withLinkedGate();
    const device = await server.linkDevice(gate);
    device.react = () => {};
    const gone = new AbortController();
    const request = fetch(`${server.url}/api/v1/products/${gate.productLogin}/outputs/0`, {
      method: 'PATCH',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: '{"state":1}',
      signal: gone.signal,
    });
    const command = await device.commanded();
    gone.abort();
    await expect(request).rejects.toThrow();
    const stopped = server.stop({ keepDevices: true, keepData: true });
    await device.roundTrip();
    device.obey(command);
    await stopped;
    const lost = server.log.lines.filter(({ level }) => level === 'error');
    expect(lost).toEqual([]);
    const next = await startTestServer({ dataDir: server.dataDir });
    expect(await next.storage.findCommand(command.commandId)).toMatchObject({ outcome: 'executed' });
    await next.stop();
  });

  test('gives up a request that is still uploading: it never becomes a command', async () => {
    const { server, gate, token } = await withLinkedGate();
    const device = await server.linkDevice(gate);
    device.react = () => {
      throw new Error('commanded');
    };
    const http = new RawHttp(server.url);
    const headers = [`Authorization: Bearer ${token}`, 'Content-Type: application/json', 'Content-Length: 11'];
    http.send(`PATCH /api/v1/products/${gate.productLogin}/outputs/0 HTTP/1.1`, 'Host: x', ...headers, '', '{"state"');
    await device.roundTrip();
    expect(await tookMs(() => server.stop({ keepDevices: true }))).toBeLessThan(UPLOAD_GRACE_MS + 3_000);
    expect(await http.closed()).toBe('');
    await eventually(() => device.closed !== undefined);
    expect(device.closed?.code).toBe(1012);
  });

  test('waits for nothing of a connection that broke with several requests under way', async () => {
    const { server, gate, token } = await withLinkedGate();
    const device = await server.linkDevice(gate);
    device.react = () => {};
    const http = new RawHttp(server.url);
    const headers = [`Authorization: Bearer ${token}`, 'Content-Type: application/json', 'Content-Length: 11'];
    const line = `PATCH /api/v1/products/${gate.productLogin}/outputs/0 HTTP/1.1`;
    const request = [line, 'Host: x', ...headers, '', '{"state":1}'];
    http.send(...request);
    http.send(...request);
    http.send(...request);
    const command = await device.commanded();
    http.socket.resetAndDestroy();
    await device.roundTrip();
    device.obey(command);
    await device.roundTrip();
    expect(await tookMs(() => server.stop({ keepDevices: true }))).toBeLessThan(4_000);
  });

  test('answers whoever had connected before, whether it still serves them or not', async () => {
    const { server } = await withLinkedGate();
    const requests = Array.from({ length: 50 }, () => new RawHttp(server.url));
    for (const request of requests) request.send('GET /healthz HTTP/1.1', 'Host: x', '', '');
    const stopped = server.stop();
    const answers = await Promise.all(requests.map((request) => request.closed()));
    expect(answers.filter((answer) => !/^HTTP\/1\.1 (200|500) /.test(answer))).toEqual([]);
    await stopped;
  });

  test('takes no new connection', async () => {
    const { server } = await withLinkedGate();
    const { url } = server;
    await server.stop();
    await expect(call('GET', `${url}/healthz`)).rejects.toThrow();
  });

  test('ends though the database refuses an outcome, and says what was lost', async () => {
    const { server, gate, token } = await withLinkedGate();
    const device = await server.linkDevice(gate);
    device.react = (command, self) => {
      server.failStorage();
      self.obey(command);
    };
    expect((await v1(server.url).set(gate.productLogin, 0, 1, { token })).text).toBe('OK');
    await server.untilAnswer('/readyz', 503);
    await server.stop();
    expect(server.log.lines).toContainEqual(
      expect.objectContaining({ event: 'outcome not written when the server stopped' }),
    );
  });

  test('bounds its log to the end: a fault that shows only when the database closes leaves no timer', async () => {
    const timers = new Set<object>();
    const clock: Clock = {
      nowMs: () => systemClock.nowMs(),
      after(delayMs, run) {
        const timer = {};
        timers.add(timer);
        const cancel = systemClock.after(delayMs, () => {
          timers.delete(timer);
          run();
        });
        return () => {
          timers.delete(timer);
          cancel();
        };
      },
    };
    const server = await startTestServer({ clock });
    const { storage } = server;
    let isOpening = false;
    let fail = (_: Error): void => {};
    storage.openLink = () => {
      isOpening = true;
      return new Promise((_, reject) => {
        fail = reject;
      });
    };
    const close = storage.close.bind(storage);
    storage.close = async () => {
      await close();
      fail(new RelaygateError('storage-unavailable'));
      await eventually(() => server.log.lines.some(({ event }) => event === 'link not opened'));
    };
    const { productLogin, enrolmentCode } = await server.newProduct();
    const device = new ScriptedDevice(server.url, newIdentity(productLogin, enrolmentCode));
    await device.opened();
    device.hello();
    await eventually(() => isOpening);
    await server.stop({ keepDevices: true });
    expect(timers.size).toBe(0);
  });
});
