import { createHash } from 'node:crypto';
import { linkSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { createConnection, createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from '@jest/globals';
import { MAX_REQUEST_BYTES, type ServeLines } from '@relaygate/device-agent/ipc/line-connection';
import { requestSession } from '@relaygate/device-agent/ipc/request-session';
import { action } from '@relaygate/device-agent/ipc/schema-action';
import { withoutLastWords } from '@relaygate/device-agent/platform/last-words';
import { type ClaimedSocket, claimSocket } from '@relaygate/device-agent/platform/unix-listener';
import { Type } from '@relaygate/shared';
import { folderForEach } from '../../../support/processes/fresh-folder';

const folder = folderForEach('rg-s-');
const path = join(folder, 'run', 'guard.sock');
const open: ClaimedSocket[] = [];
afterEach(async () => {
  for (const socket of open.splice(0)) await socket.close();
});

async function claim(at = path): Promise<ClaimedSocket> {
  const socket = await claimSocket(at, 'relaygate-guard');
  open.push(socket);
  return socket;
}

/** What a killed process leaves: a socket that nobody listens to. */
async function leaveStaleSocket(): Promise<void> {
  await claim().then((socket) => socket.close());
  open.length = 0;
  const killed = createServer();
  await new Promise<void>((resolve) => killed.listen(`${path}.killed`, resolve));
  linkSync(`${path}.killed`, path);
  await new Promise<void>((resolve) => killed.close(() => resolve()));
}

const echo = new Map([['echo', action(Type.Object({ text: Type.String() }), async ({ text }) => text)]]);

const nothing = (): void => {};
const answerEcho: ServeLines = (connection) => requestSession(connection, echo, nothing, nothing);

async function serveEcho(): Promise<void> {
  const socket = await claim();
  socket.serve(answerEcho);
}

/** Sends text and resolves with everything that comes back until `lines` lines are there or the other side hangs up. */
function talk(text: string | Buffer, lines: number): Promise<{ received: string[]; isClosed: boolean }> {
  return new Promise((resolve) => {
    let received = '';
    const socket: Socket = createConnection(path, () => socket.write(text));
    const end = (isClosed: boolean): void => {
      resolve({ received: received.split('\n').slice(0, -1), isClosed });
      socket.destroy();
    };
    socket.on('data', (chunk) => {
      received += chunk.toString();
      if (received.split('\n').length > lines) end(false);
    });
    socket.on('error', () => {});
    socket.on('close', () => end(true));
  });
}

describe('a socket of the device', () => {
  test('appears with its folder and its mode', async () => {
    await claim();
    expect(statSync(path).mode & 0o777).toBe(0o660);
    expect(readdirSync(join(folder, 'run'))).toEqual(['guard.sock', 'guard.sock.lock']);
  });

  test('is refused to a second one while the first one listens', async () => {
    await claim();
    await expect(claim()).rejects.toMatchObject({ code: 'already-running' });
    expect(readdirSync(join(folder, 'run'))).toEqual(['guard.sock', 'guard.sock.lock']);
  });

  test('goes to exactly one of many that start at once over a stale one', async () => {
    await leaveStaleSocket();
    const claims = await Promise.allSettled(Array.from({ length: 8 }, () => claim()));
    expect(claims.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
  });

  test('is not kept from it by a name that any process of the machine can take', async () => {
    const name = createHash('sha256').update(`socket ${path}`).digest('hex').slice(0, 32);
    const stranger = createServer();
    await new Promise<void>((resolve) => stranger.listen(`\0relaygate-${name}`, resolve));
    try {
      await claim();
    } finally {
      stranger.close();
    }
  });

  test('never takes the place of a file', async () => {
    await claim().then((socket) => socket.close());
    writeFileSync(path, 'precious');
    await expect(claim()).rejects.toMatchObject({ code: 'socket-unusable' });
    expect(readFileSync(path, 'utf8')).toBe('precious');
  });

  test('whose path is over 100 bytes is refused, for Node would cut it without a word', async () => {
    await expect(claim(join(folder, 'x'.repeat(100), 'guard.sock'))).rejects.toMatchObject({ code: 'socket-unusable' });
  });

  test('can have a path of exactly 100 bytes', async () => {
    const long = join(folder, 'x'.repeat(100 - folder.length - '/'.length - '/guard.sock'.length), 'guard.sock');
    expect(Buffer.byteLength(long)).toBe(100);
    await claim(long);
    expect(statSync(long).isSocket()).toBe(true);
  });

  test('keeps clients waiting until they are served', async () => {
    const socket = await claim();
    const talked = talk('{"id":1,"type":"echo","text":"early"}\n', 1);
    await new Promise((resolve) => setImmediate(resolve));
    socket.serve(answerEcho);
    expect((await talked).received).toEqual(['{"id":1,"ok":true,"value":"early"}']);
  });
});

describe('a client that has hung up right behind its request', () => {
  test.each([
    [true, []],
    [false, ['asked']],
  ])('is dropped: %s', async (dropLastWords, expected) => {
    const socket = await claim();
    // As for a program that was stopped: it finds request and end together.
    await new Promise<void>((resolve) => {
      const client = createConnection(path, () => client.end('{"id":1,"type":"echo","text":"asked"}\n', resolve));
    });
    const asked: string[] = [];
    const heard = new Map([
      ['echo', action(Type.Object({ text: Type.String() }), async ({ text }) => asked.push(text))],
    ]);
    const closed = new Promise<void>((resolve) =>
      socket.serve(
        (connection) => requestSession(connection, heard, resolve, () => {}),
        dropLastWords ? withoutLastWords : undefined,
      ),
    );
    await closed;
    // Who waits for an answer gets it, behind all that was still to be read of the one that has gone.
    await talk('{"id":2,"type":"echo","text":"waits"}\n', 1);
    expect(asked).toEqual([...expected, 'waits']);
  });
});

describe('a client of the device', () => {
  test('is answered in lines, whatever pieces its bytes come in', async () => {
    await serveEcho();
    const bytes = Buffer.from('{"id":1,"type":"echo","text":"gr\u00fc\u00dfe"}\n{"id":2,"type":"echo","text":"2"}\n');
    const { received } = await talk(bytes, 2);
    expect(received).toEqual(['{"id":1,"ok":true,"value":"gr\u00fc\u00dfe"}', '{"id":2,"ok":true,"value":"2"}']);
  });

  test.each([
    ['an unknown type', '{"id":1,"type":"reboot"}\n'],
    ['a wrong body', '{"id":1,"type":"echo","text":7}\n'],
    ['a member of Object', '{"id":1,"type":"constructor"}\n'],
  ])('is told of %s, and stays connected', async (_name, line) => {
    await serveEcho();
    const { received } = await talk(`${line}{"id":2,"type":"echo","text":"still here"}\n`, 2);
    expect(received.map((text) => JSON.parse(text))).toEqual(
      expect.arrayContaining([
        { id: 1, ok: false, error: { code: 'bad-usage', message: expect.any(String) } },
        { id: 2, ok: true, value: 'still here' },
      ]),
    );
  });

  test.each([
    ['no JSON', 'hello\n'],
    ['no request', '[]\n'],
    ['no id', '{"type":"echo"}\n'],
    ['a line that is too long', `${'x'.repeat(MAX_REQUEST_BYTES + 1)}\n`],
    ['a line that never ends', 'x'.repeat(MAX_REQUEST_BYTES + 1)],
  ])('that sends %s loses its own connection only', async (_name, text) => {
    await serveEcho();
    const other = talk('{"id":1,"type":"echo","text":"a"}\n', 2);
    expect((await talk(text, 1)).isClosed).toBe(true);
    expect((await talk('{"id":1,"type":"echo","text":"b"}\n', 1)).received).toEqual(['{"id":1,"ok":true,"value":"b"}']);
    for (const socket of open.splice(0)) await socket.close();
    expect((await other).received).toEqual(['{"id":1,"ok":true,"value":"a"}']);
  });
});
