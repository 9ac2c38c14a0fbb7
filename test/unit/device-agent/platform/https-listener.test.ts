/** The page's port over TLS, in this process. */
import { once } from 'node:events';
import { createConnection, type Socket } from 'node:net';
import { connect, type TLSSocket } from 'node:tls';
import { Worker } from 'node:worker_threads';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { httpsListener } from '@relaygate/device-agent/platform/https-listener';
import { selfSigned } from '@relaygate/device-agent/platform/self-signed';
import { systemRandomness, systemWallClock } from '@relaygate/shared/system';
import { freePort } from '../../../support/processes/free-port';
import { eventually } from '../../../support/time/waiting';

const newCertificate = () =>
  selfSigned(systemRandomness, systemWallClock).make({ commonName: 'test', hosts: ['localhost'] });
const REQUEST = 'POST /x HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\n{}';
/** Sends a request as often as told, each behind the answer to the one before, and tells how many answers came. */
const ASK_AGAIN = `const { parentPort, workerData: { port, request, times } } = require('node:worker_threads');
const socket = require('node:tls').connect({ port, rejectUnauthorized: false }, () => socket.write(request));
let answers = 0;
socket.on('data', () => (++answers < times ? socket.write(request) : socket.end()));
socket.on('error', () => {}).on('close', () => parentPort.postMessage(answers));`;
let port: number;
let acted: string[];
let senders: string[];
let listening: Awaited<ReturnType<typeof httpsListener>>;
beforeEach(async () => {
  port = await freePort();
  [acted, senders] = [[], []];
  const made = await newCertificate();
  listening = await httpsListener({ ...made, port, address: '127.0.0.1' }, async ({ path, host }) => {
    acted.push(path);
    senders.push(host);
    return { status: 200, headers: {}, body: '{}', hasSession: path === '/logged-in' };
  });
});
afterEach(() => listening.close());

function connection(localAddress = '127.0.0.1'): Promise<TLSSocket> {
  return new Promise((resolve, reject) => {
    const bare = createConnection({ host: '127.0.0.1', port, localAddress });
    const socket = connect({ socket: bare, rejectUnauthorized: false }, () => resolve(socket));
    socket.on('error', reject).resume();
  });
}

test('a request whose sender has gone is dropped before it acts', async () => {
  const gone = await connection();
  gone.end(REQUEST);
  await eventually(() => gone.destroyed);
  expect(acted).toEqual([]);
  const waiting = await connection();
  waiting.write(REQUEST.replace('/x', '/y'));
  await eventually(() => acted.length > 0);
  expect(acted).toEqual(['/y']);
  waiting.destroy();
});

test('somebody who asks again as soon as the answer is there is answered on the same connection', async () => {
  // In a thread of its own it may have the answer before the listener knows that it is sent.
  const asking = new Worker(ASK_AGAIN, { eval: true, workerData: { port, request: REQUEST, times: 200 } });
  const [answers] = await once(asking, 'message');
  await asking.terminate();
  expect(answers).toBe(200);
});

test('a request before the answer to the one before ends the connection, and does not act', async () => {
  const socket = await connection();
  socket.write(REQUEST + REQUEST.replace('/x', '/y'));
  await eventually(() => socket.destroyed);
  expect(acted).not.toContain('/y');
});

test('a request is told with the address of its sender, by which wrong PINs are counted', async () => {
  for (const address of ['127.0.0.1', '127.0.0.9']) {
    const socket = await connection(address);
    socket.write(REQUEST);
    await eventually(() => senders.at(-1) === address);
    socket.destroy();
  }
});

test('idle connections give way to a new one, and that of somebody logged in does not', async () => {
  const kept = await connection();
  kept.write(REQUEST.replace('/x', '/logged-in'));
  await eventually(() => acted.length > 0);
  const idle: TLSSocket[] = [];
  for (let n = 0; n < 13; n += 1) idle.push(await connection());
  await eventually(() => idle.filter(({ destroyed }) => destroyed).length === 2);
  expect(idle.slice(0, 2).every(({ destroyed }) => destroyed)).toBe(true);
  expect(kept.destroyed).toBe(false);
  for (const socket of [kept, ...idle]) socket.destroy();
});

test('a host that opens 200 bare connections at once keeps none of 30 others out', async () => {
  const bare: Socket[] = [];
  for (let n = 0; n < 200; n += 1) {
    const socket = createConnection({ host: '127.0.0.1', port, localAddress: '127.0.1.1' });
    bare.push(socket.on('error', () => {}).resume());
  }
  // The listener takes them in their order.
  const statuses = await Promise.all(Array.from({ length: 30 }, (_, n) => answerTo(`127.0.2.${n + 1}`)));
  expect(statuses.filter((status) => status !== 'HTTP/1.1 200 OK')).toEqual([]);
  for (const socket of bare) socket.destroy();
});

/** The first line of it, or what has ended the connection. */
function answerTo(localAddress: string): Promise<string> {
  return new Promise((resolve) => {
    // tls.connect() has no localAddress of its own.
    const plain = createConnection({ host: '127.0.0.1', port, localAddress });
    const socket = connect({ socket: plain, rejectUnauthorized: false }, () => socket.write(REQUEST));
    plain.once('error', (error) => resolve(error.message));
    socket.once('data', (bytes) => {
      resolve(bytes.toString().split('\r\n', 1)[0] ?? '');
      socket.destroy();
    });
    socket.once('error', (error) => resolve(error.message));
    socket.once('close', () => resolve('closed'));
  });
}

test('a newer certificate is shown to whoever comes from then on, and who is there stays', async () => {
  const before = await connection();
  const newer = await newCertificate();
  listening.present(newer);
  const after = await connection();
  expect(after.getPeerX509Certificate()?.toString()).toBe(newer.certificate);
  expect(before.getPeerX509Certificate()?.toString()).not.toBe(newer.certificate);
  before.write(REQUEST.replace('/x', '/before'));
  after.write(REQUEST.replace('/x', '/after'));
  await eventually(() => acted.length === 2);
  for (const socket of [before, after]) socket.destroy();
});
