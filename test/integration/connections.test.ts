/**
 * T19, T29: connections that never finish. They are released 1 s after their time-out, whatever their clients do, keep no
 * stop up, and do not keep others from being served (I15).
 */

import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { afterEach, describe, expect, test } from '@jest/globals';
import {
  ANSWER_TAKEN_MS,
  CLOSE,
  KEEP_ALIVE_MS,
  LINK_FRAME_BURST,
  LINK_PATH,
  LINK_SUBPROTOCOL,
  MAX_PIPELINED_REQUESTS,
  MAX_UNAUTHENTICATED_LINKS_PER_ADDRESS,
  MAX_UNAUTHENTICATED_PER_ADDRESS,
  RELEASE_MS,
  REQUEST_HEADERS_MS,
  TLS_HANDSHAKE_MS,
  WHOLE_REQUEST_MS,
} from '@relaygate/shared';
import { monotonicNowMs } from '@relaygate/shared/system';
import { WebSocket } from 'ws';
import { heldConnection } from '../support/faults/network-namespace';
import { Certificate } from '../support/processes/certificate';
import { missingProgram } from '../support/processes/missing-program';
import { describeWhere } from '../support/processes/needs';
import { call, v1 } from '../support/server/api-client';
import { RawHttp } from '../support/server/raw-http';
import { startTestServer, type TestServer, type TestServerOptions } from '../support/server/test-server';
import { repeat } from '../support/time/excuse';
import { expectMostWithin, type Timed, timed } from '../support/time/timed';
import { VirtualClock } from '../support/time/virtual-clock';
import { eventually, pause } from '../support/time/waiting';

/** Node looks for time-outs once a second, and so does the server for unread answers; the machine is busy. */
const SEEN_LATE_MS = 3_000;
const CLIENT_P99_MS = 100;
const ATTACKER = '127.0.0.66';
/** They are played up to eight times, if the machine is too late for a verdict. */
const LIMIT_MS = 5 * 60_000;

let server: TestServer;
const sockets: Socket[] = [];
async function end(): Promise<void> {
  for (const socket of sockets.splice(0)) socket.destroy();
  await server.stop();
}
afterEach(end);

/** What is under test counts the machine's time: Node's time-outs, and a client that comes every so often. */

/** A server accepts connections in their order: once it has refused a later one, it has all that were opened before. */
async function untilAccepted(): Promise<void> {
  await eventually(() => sockets.every(({ connecting }) => !connecting));
  const { port } = new URL(server.url);
  const last = connect({ port: Number(port), host: '127.0.0.1' });
  last.on('error', () => {});
  last.resume().end('neither HTTP nor TLS\r\n\r\n');
  await once(last, 'close');
}

/** So long ago, the server lets a connection be evicted. */
const EVICTED_AFTER_MS = 1_001;

function attack(...lines: string[]): RawHttp {
  return attackBy({ neverCloses: false }, ...lines);
}

function attackBy({ neverCloses }: { neverCloses: boolean }, ...lines: string[]): RawHttp {
  const http = new RawHttp(server.url, { from: ATTACKER, neverCloses });
  sockets.push(http.socket);
  http.send(...lines);
  return http;
}

/** Asks for a device link, and then says nothing. */
function silentLink(from: string): RawHttp {
  const http = new RawHttp(server.url, { from });
  sockets.push(http.socket);
  const upgrade = ['Upgrade: websocket', 'Connection: Upgrade', 'Sec-WebSocket-Version: 13'];
  const headers = ['Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==', `Sec-WebSocket-Protocol: ${LINK_SUBPROTOCOL}`];
  http.send(`GET ${LINK_PATH} HTTP/1.1`, 'Host: x', ...upgrade, ...headers, '', '');
  return http;
}

/** When the server no longer holds the connection: a byte sent is answered with a reset. */
async function releasedMs(socket: Socket, sinceMs: number): Promise<number> {
  for (;;) {
    if (socket.destroyed || socket.closed) return monotonicNowMs() - sinceMs;
    if (monotonicNowMs() - sinceMs > 30_000) throw new Error('never released');
    if (socket.readableEnded) socket.write('x');
    await pause(50);
  }
}

/** A login every so often, by somebody else: 99 of 100 are answered in time. */
async function expectLoginsServed(during: Promise<unknown>, clientKey: string): Promise<void> {
  let going = true;
  const ended = during.finally(() => {
    going = false;
  });
  ended.catch(() => {});
  const times: Omit<Timed<unknown>, 'answer'>[] = [];
  while (going) {
    const { answer, ...taken } = await timed(v1(server.url).login(clientKey));
    expect(answer.status).toBe(200);
    times.push(taken);
    await pause(20);
  }
  expectMostWithin(times, CLIENT_P99_MS);
  await ended;
}

describe('T29: a connection that never finishes, while others are served', () => {
  const UNFINISHED: [string, number, string[]][] = [
    ['silent', REQUEST_HEADERS_MS, ['']],
    ['half a header', REQUEST_HEADERS_MS, ['GET /healthz HTTP/1.1', 'Host: x', 'X-Slow: ']],
    [
      'half a body',
      WHOLE_REQUEST_MS,
      ['POST /api/login HTTP/1.1', 'Content-Type: application/json', 'Content-Length: 50', '', '{'],
    ],
  ];

  /** 20 of a kind. */
  async function expectReleased(name: string, timeOutMs: number, lines: string[]): Promise<void> {
    const sinceMs = monotonicNowMs();
    const slow = Array.from({ length: 20 }, () => attackBy({ neverCloses: true }, ...lines));
    const released = await Promise.all(slow.map(({ socket }) => releasedMs(socket, sinceMs)));
    const [first, last] = [Math.min(...released), Math.max(...released)];
    expect({ name, isLate: last >= timeOutMs + RELEASE_MS + SEEN_LATE_MS }).toEqual({ name, isLate: false });
    expect({ name, isEarly: first <= timeOutMs - SEEN_LATE_MS }).toEqual({ name, isEarly: false });
  }

  /** One that does not read its answers. It asks until the kernel takes no more, and for less than would cut it by itself. */
  async function expectCut(): Promise<void> {
    const http = attack();
    http.socket.pause();
    await eventually(() => !http.socket.connecting);
    const { localPort = 0 } = http.socket;
    const connection = () => heldConnection(Number(new URL(server.url).port), '127.0.0.1', localPort);
    for (let [most, waiting] = [0, 0]; waiting < MAX_PIPELINED_REQUESTS / 2; waiting += 1) {
      http.socket.write('GET /openapi.json HTTP/1.1\r\nHost: x\r\n\r\n');
      await pause(100);
      const { unsentBytes } = connection() ?? { unsentBytes: 0 };
      if (unsentBytes > most) waiting = 0;
      most = Math.max(most, unsentBytes);
    }
    const sinceMs = monotonicNowMs();
    expect(connection()).not.toBeNull();
    await eventually(() => connection() === null, ANSWER_TAKEN_MS + RELEASE_MS + SEEN_LATE_MS);
    expect(monotonicNowMs() - sinceMs).toBeGreaterThan(ANSWER_TAKEN_MS / 2);
  }

  // At the same time: they wait for seconds each.
  test(
    'silent, half a header, half a body, and one that does not read its answers',
    () =>
      repeat(async () => {
        server = await startTestServer();
        const { clientKey } = await server.newClient();
        const unfinished = UNFINISHED.map((kind) => expectReleased(...kind));
        await expectLoginsServed(Promise.all([...unfinished, expectCut()]), clientKey);
      }, end),
    LIMIT_MS,
  );

  test(
    '1,000 from one address, and 50 new ones a second: others are served, and so is whoever else is there',
    () =>
      repeat(async () => {
        server = await startTestServer();
        const { clientKey } = await server.newClient();
        for (let n = 0; n < 1_000; n += 1) attack('GET / HTTP/1.1', '');
        await eventually(() => sockets.every(({ connecting }) => !connecting));
        const attacking = (async () => {
          for (let n = 0; n < 150; n += 1) {
            attack('GET / HTTP/1.1', '');
            await pause(20);
          }
        })();
        await expectLoginsServed(attacking, clientKey);
        const isOpen = ({ destroyed, connecting }: Socket): boolean => !destroyed && !connecting;
        await eventually(() => sockets.filter(isOpen).length <= MAX_UNAUTHENTICATED_PER_ADDRESS);
        const sameAddress = attack('GET /healthz HTTP/1.1', 'Host: x', '', '');
        await sameAddress.match(/\{"status":"ok"\}$/);
      }, end),
    LIMIT_MS,
  );

  test('a full address evicts its oldest unauthenticated connections, not one whose client has shown a token', async () => {
    const clock = new VirtualClock();
    server = await startTestServer({ clock });
    const token = await server.newToken();
    const known = attack('GET /api/v1/commands/x HTTP/1.1', 'Host: x', `Authorization: Bearer ${token}`, '', '');
    await known.match(/not-found|invalid-params/);
    const first = attack('GET / HTTP/1.1', '');
    await untilAccepted();
    await clock.advance(EVICTED_AFTER_MS);
    for (let n = 0; n < MAX_UNAUTHENTICATED_PER_ADDRESS; n += 1) attack('GET / HTTP/1.1', '');
    await first.closed();
    known.send('GET /healthz HTTP/1.1', 'Host: x', '', '');
    await known.match(/\{"status":"ok"\}$/);
  });

  test('behind a trusted proxy its callers are counted, and the proxy itself is not', async () => {
    const clock = new VirtualClock();
    server = await startTestServer({ clock, trustedProxies: 'loopback' });
    const upload = (from: string): RawHttp =>
      attack(
        'POST /api/login HTTP/1.1',
        `X-Forwarded-For: ${from}`,
        'Content-Type: application/json',
        'Content-Length: 50',
        '',
        '{',
      );
    const others = Array.from({ length: 100 }, () => upload('198.51.100.2'));
    const first = upload('198.51.100.1');
    await untilAccepted();
    await clock.advance(EVICTED_AFTER_MS);
    for (let n = 0; n < MAX_UNAUTHENTICATED_PER_ADDRESS; n += 1) upload('198.51.100.1');
    await first.closed();
    expect(others.filter(({ socket }) => socket.destroyed)).toEqual([]);
    const { clientKey } = await server.newClient();
    expect((await v1(server.url).login(clientKey)).status).toBe(200);
  });
});

test('four addresses with silent links keep no device out: the oldest of the address that holds most goes', async () => {
  server = await startTestServer();
  const opened: Promise<string>[] = [];
  for (let n = 0; n < 4 * MAX_UNAUTHENTICATED_LINKS_PER_ADDRESS; n += 1)
    opened.push(silentLink(`127.0.0.${70 + (n % 4)}`).match(/^HTTP\/1\.1 101/));
  await Promise.all(opened);
  for (let n = 0; n < 20; n += 1) await server.linkDevice(await server.newProduct());
  await eventually(() => sockets.filter(({ destroyed }) => destroyed).length >= 1);
}, 30_000);

test('beyond the links that one address may open in a second: 503, the log says so, and another address is served', async () => {
  const clock = new VirtualClock();
  server = await startTestServer({ clock });
  const opened: Promise<string>[] = [];
  for (let n = 0; n < MAX_UNAUTHENTICATED_LINKS_PER_ADDRESS; n += 1)
    opened.push(silentLink(ATTACKER).match(/^HTTP\/1\.1 101/));
  await Promise.all(opened);
  expect(server.log.lines).toEqual([]);

  expect(await silentLink(ATTACKER).closed()).toMatch(/^HTTP\/1\.1 503 Service Unavailable\r\n/);
  const fields = { code: 'links-full', address: ATTACKER, requestId: expect.any(String) };
  expect(server.log.lines).toEqual([{ level: 'info', event: 'link refused', fields }]);
  await server.linkDevice(await server.newProduct());

  // A second later the oldest one gives way instead.
  await clock.advance(EVICTED_AFTER_MS);
  await silentLink(ATTACKER).match(/^HTTP\/1\.1 101/);
  await eventually(() => sockets[0]?.destroyed === true);
});

test('pings beyond the budget of frames end the link with 4400, and who does not answer the close is cut', async () => {
  server = await startTestServer();
  const url = `${server.url.replace('http', 'ws')}${LINK_PATH}`;
  const flooding = new WebSocket(url, LINK_SUBPROTOCOL);
  await once(flooding, 'open');
  for (let n = 0; n < 3 * LINK_FRAME_BURST; n += 1) flooding.ping();
  expect((await once(flooding, 'close'))[0]).toBe(CLOSE.protocolError);
  // It neither answers the close frame nor stops.
  const deaf = silentLink('127.0.0.1');
  await deaf.match(/^HTTP\/1\.1 101/);
  const startMs = monotonicNowMs();
  const MASKED_PING = Buffer.from([0x89, 0x80, 0, 0, 0, 0]);
  deaf.socket.write(Buffer.concat(Array.from({ length: 3 * LINK_FRAME_BURST }, () => MASKED_PING)));
  await deaf.closed();
  expect(monotonicNowMs() - startMs).toBeLessThan(2_000 + SEEN_LATE_MS);
});

test('a stop ends in its time, whatever connections are there', async () => {
  server = await startTestServer();
  attack('');
  attack('GET / HTTP/1.1', '');
  attack('POST /api/login HTTP/1.1', 'Content-Type: application/json', 'Content-Length: 50', '', '{');
  await untilAccepted();
  const startMs = monotonicNowMs();
  await server.stop();
  expect(monotonicNowMs() - startMs).toBeLessThan(4_000);
  server = await startTestServer();
});

test('an idle connection is kept for longer than the 60 s of load balancers', async () => {
  server = await startTestServer();
  const { headers } = await call('GET', `${server.url}/healthz`);
  expect(headers.get('keep-alive')).toBe(`timeout=${KEEP_ALIVE_MS / 1000}`);
  expect(KEEP_ALIVE_MS).toBeGreaterThan(60_000);
});

describeWhere(missingProgram('openssl', 'openssl'))('with TLS of its own', () => {
  async function startTlsServer(options: TestServerOptions = {}): Promise<void> {
    const certificate = new Certificate('127.0.0.1');
    const tls = { cert: readFileSync(certificate.certFile), key: readFileSync(certificate.keyFile) };
    certificate.remove();
    server = await startTestServer({ ...options, tls });
  }

  function silent(): Socket {
    const { port } = new URL(server.url);
    const socket = connect({ port: Number(port), host: '127.0.0.1', allowHalfOpen: true });
    socket.on('error', () => {});
    socket.resume();
    sockets.push(socket);
    return socket;
  }

  test(
    'connections that never spoke are released, also when their client has gone',
    async () => {
      await startTlsServer();
      const sinceMs = monotonicNowMs();
      const [waits, ended] = [silent(), silent()];
      ended.end();
      const times = await Promise.all([waits, ended].map((socket) => releasedMs(socket, sinceMs)));
      expect(Math.max(...times)).toBeLessThan(TLS_HANDSHAKE_MS + RELEASE_MS + SEEN_LATE_MS);
    },
    LIMIT_MS,
  );

  test('they hold no stop up', async () => {
    await startTlsServer();
    const gone = silent();
    silent();
    await untilAccepted();
    gone.end();
    await untilAccepted();
    const startMs = monotonicNowMs();
    await server.stop();
    expect(monotonicNowMs() - startMs).toBeLessThan(4_000);
    await startTlsServer();
  });

  test('more than one address may have: the oldest goes', async () => {
    const clock = new VirtualClock();
    await startTlsServer({ clock });
    const first = silent();
    await untilAccepted();
    await clock.advance(EVICTED_AFTER_MS);
    const more = Array.from({ length: MAX_UNAUTHENTICATED_PER_ADDRESS }, () => silent());
    await eventually(() => first.destroyed || first.readableEnded);
    expect(more.some(({ readableEnded, destroyed }) => readableEnded || destroyed)).toBe(false);
  });
});
