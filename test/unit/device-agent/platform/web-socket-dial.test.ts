import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import type { LinkSocket } from '@relaygate/device-agent/agent/link/link-socket';
import { linkText } from '@relaygate/device-agent/locales/en/link';
import { webSocketDial } from '@relaygate/device-agent/platform/web-socket-dial';
import { LINK_MAX_FRAME_BYTES, LINK_PATH, LINK_SUBPROTOCOL } from '@relaygate/shared';
import { type WebSocket, WebSocketServer } from 'ws';
import { NO_SERVER } from '../../../support/device/device';

let server: WebSocketServer;
let serverUrl = '';
beforeEach(async () => {
  server = new WebSocketServer({ port: 0, host: '127.0.0.1' });
  await new Promise((resolve) => server.once('listening', resolve));
  serverUrl = `ws://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterEach(async () => {
  for (const client of server.clients) client.terminate();
  await new Promise((resolve) => server.close(resolve));
});

interface Dialled {
  socket: LinkSocket;
  texts: string[];
  opened: Promise<void>;
  closed: Promise<{ code: number | null; problem: string }>;
}

function dial(url = serverUrl): Dialled {
  const texts: string[] = [];
  let open = (): void => {};
  let close = (_end: { code: number | null; problem: string }): void => {};
  const opened = new Promise<void>((resolve) => (open = resolve));
  const closed = new Promise<{ code: number | null; problem: string }>((resolve) => (close = resolve));
  const socket = webSocketDial({ ...NO_SERVER, serverUrl: url })({
    opened: open,
    text: (text) => texts.push(text),
    closed: (code, problem) => close({ code, problem: typeof problem === 'string' ? problem : linkText(problem) }),
  });
  return { socket, texts, opened, closed };
}

const connected = (): Promise<WebSocket> => new Promise((resolve) => server.once('connection', resolve));

describe('the WebSocket of the link', () => {
  test('asks for the path and the subprotocol of the link, without compression or origin', async () => {
    const requested = new Promise<import('node:http').IncomingMessage>((resolve) =>
      server.once('connection', (_socket, request) => resolve(request)),
    );
    const { socket, closed } = dial(`${serverUrl}/`);
    const { url, headers } = await requested;
    expect(url).toBe(LINK_PATH);
    expect(headers['sec-websocket-protocol']).toBe(LINK_SUBPROTOCOL);
    expect(headers['sec-websocket-extensions']).toBeUndefined();
    expect(headers.origin).toBeUndefined();
    socket.terminate();
    await closed;
  });

  test('carries text both ways and passes binary frames over', async () => {
    const peer = connected();
    const { socket, texts, opened, closed } = dial();
    const remote = await peer;
    const heard = new Promise<string>((resolve) => remote.once('message', (data) => resolve(data.toString())));
    await opened;
    socket.send('up');
    expect(await heard).toBe('up');
    remote.send(Buffer.from([1, 2, 3]));
    remote.send('down');
    remote.close(4409);
    expect(await closed).toMatchObject({ code: 4409 });
    expect(texts).toEqual(['down']);
  });

  test('gives no code when the connection breaks, and says why it could not be made', async () => {
    const peer = connected();
    const broken = dial();
    (await peer).terminate();
    expect(await broken.closed).toEqual({ code: null, problem: 'the connection broke' });
    const refused = dial('ws://127.0.0.1:9');
    expect((await refused.closed).problem).toContain('ECONNREFUSED');
  });

  test('ends when the server sends more than a frame may hold', async () => {
    const peer = connected();
    const { closed, texts } = dial();
    (await peer).send('x'.repeat(LINK_MAX_FRAME_BYTES + 1));
    expect((await closed).code).toBeNull();
    expect(texts).toEqual([]);
  });

  test.each(['/path', '?', '?a=b', '#', '#part', '/relaygate/'])('refuses an address that ends in %s', (end) => {
    expect(() => dial(`wss://gate.example.com${end}`)).toThrow('without user, path, query or fragment');
  });

  test('refuses an address with a user', () => {
    expect(() => dial('wss://me:secret@gate.example.com')).toThrow('without user');
    expect(() => dial('wss://me:secret@gate.example.com')).not.toThrow('secret');
  });

  test.each(['ws://gate.example.com', 'ws://10.0.0.1:8080', 'ws://localhost.example.com'])('refuses %s', (url) => {
    expect(() => dial(url)).toThrow('serverUrl must be wss://');
  });
});
