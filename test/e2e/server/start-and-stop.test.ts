import { execFileSync } from 'node:child_process';
import { statSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from '@jest/globals';
import { openSqlite } from '@relaygate/server/storage/sqlite/sqlite';
import { folderForEach } from '../../support/processes/fresh-folder';
import { Program, runToEnd } from '../../support/processes/program';
import { newIdentity, ScriptedDevice } from '../../support/server/scripted-device';

const FILE = 'server/bin/relaygate-server.js';

const folder = folderForEach('rg-start-');
const env = { RELAYGATE_DATA_DIR: join(folder, 'data'), RELAYGATE_LISTEN: '127.0.0.1:0' };
const programs: Program[] = [];
afterEach(async () => {
  await Promise.all(programs.splice(0).map((program) => program.stop()));
});

async function start(more: Record<string, string> = {}): Promise<Program> {
  const program = await Program.start({
    name: 'relaygate-server',
    file: FILE,
    args: ['start'],
    env: { ...env, ...more },
  });
  programs.push(program);
  return program;
}

async function ready(program: Program): Promise<string> {
  const [, url = ''] = await program.line(/^listening on (\S+)$/);
  return url;
}

/** A data folder as a first run leaves it. */
async function startOnce(): Promise<void> {
  const program = await start();
  await ready(program);
  await program.stop();
}

/** Loaded by the server and its children: the one that writes the checkpoint does nothing from when that file is there. */
const hangingWhere = (file: string): string => `
  const isWriter = process.argv[1]?.endsWith('checkpoint-program.js');
  if (isWriter && require('node:fs').existsSync(${JSON.stringify(file)}))
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
`;

describe('a start that cannot work: one line that says what to do, exit code 1', () => {
  test.each<[string, () => Record<string, string>, RegExp]>([
    ['an unknown setting', () => ({ RELAYGATE_LISTN: 'x' }), /RELAYGATE_LISTN.*RELAYGATE_LISTEN.*\(bad-setting\)$/],
    [
      'a wrong setting',
      () => ({ RELAYGATE_LISTEN: 'everywhere' }),
      /RELAYGATE_LISTEN.*127\.0\.0\.1:8080.*\(bad-setting\)$/,
    ],
    [
      'beyond loopback without TLS or proxy',
      () => ({ RELAYGATE_LISTEN: '0.0.0.0:0' }),
      /RELAYGATE_TLS_CERT.*\(unsafe-listen\)$/,
    ],
    [
      'an address of another machine',
      () => ({ RELAYGATE_LISTEN: '192.0.2.1:8080', RELAYGATE_TRUSTED_PROXIES: 'loopback' }),
      /\(bad-setting\)$/,
    ],
    [
      'a data folder that cannot be one',
      () => ({ RELAYGATE_DATA_DIR: '/dev/null/data' }),
      /RELAYGATE_DATA_DIR.*\(folder-not-writable\)$/,
    ],
    [
      'a checkpoint file in a folder that is not there',
      () => ({ RELAYGATE_AUDIT_CHECKPOINT_FILE: join(folder, 'no', 'such.json') }),
      /RELAYGATE_AUDIT_CHECKPOINT_FILE.*ENOENT.*\(bad-setting\)$/,
    ],
    [
      'a checkpoint file that is a link',
      () => {
        const link = join(folder, 'link.json');
        symlinkSync('elsewhere.json', link);
        return { RELAYGATE_AUDIT_CHECKPOINT_FILE: link };
      },
      /RELAYGATE_AUDIT_CHECKPOINT_FILE.*link.*name the file itself.*\(bad-setting\)$/,
    ],
    [
      'a checkpoint file that is a folder',
      () => ({ RELAYGATE_AUDIT_CHECKPOINT_FILE: folder }),
      /RELAYGATE_AUDIT_CHECKPOINT_FILE.*EISDIR.*\(bad-setting\)$/,
    ],
    [
      'certificate files that are none',
      () => {
        writeFileSync(join(folder, 'x.pem'), 'nothing');
        return { RELAYGATE_TLS_CERT: join(folder, 'x.pem'), RELAYGATE_TLS_KEY: join(folder, 'x.pem') };
      },
      /RELAYGATE_TLS_CERT.*PEM.*\(bad-setting\)$/,
    ],
    [
      'a certificate file that is not there',
      () => ({ RELAYGATE_TLS_CERT: '/none', RELAYGATE_TLS_KEY: '/none' }),
      /RELAYGATE_TLS_CERT names \/none.*\(bad-setting\)$/,
    ],
  ])('%s', async (_what, more, line) => {
    const program = await start(more());
    const { code } = await program.ended;
    expect(program.complaint.split('\n')).toHaveLength(1);
    expect(program.complaint).toMatch(line);
    expect(code).toBe(1);
  });

  test('a port that is in use', async () => {
    const other = createServer().listen(0, '127.0.0.1');
    await new Promise((listening) => other.once('listening', listening));
    const address = other.address();
    const port = typeof address === 'object' ? address?.port : 0;
    const program = await start({ RELAYGATE_LISTEN: `127.0.0.1:${port}` });
    expect((await program.ended).code).toBe(1);
    expect(program.complaint).toMatch(new RegExp(`127\\.0\\.0\\.1:${port} is in use.*\\(port-in-use\\)$`));
    other.close();
  });

  test('a second server on the same data folder, and the first is not disturbed', async () => {
    const url = await ready(await start());
    const second = await start();
    expect((await second.ended).code).toBe(1);
    expect(second.complaint).toMatch(/A server runs on the data folder .* \(already-running\)$/);
    expect((await fetch(`${url}/readyz`)).status).toBe(200);
  });

  test('a second server on the same data folder by another name, under the same or another node name', async () => {
    await ready(await start());
    const RELAYGATE_DATA_DIR = join(folder, 'another name');
    symlinkSync(join(folder, 'data'), RELAYGATE_DATA_DIR);
    for (const RELAYGATE_NODE_NAME of ['node-0', 'node-1']) {
      const second = await start({ RELAYGATE_DATA_DIR, RELAYGATE_NODE_NAME });
      expect((await second.ended).code).toBe(1);
      expect(second.complaint).toMatch(/A server runs on the data folder .* \(already-running\)$/);
    }
  });

  test('a database that a newer version wrote is left as it is', async () => {
    await startOnce();
    const file = join(folder, 'data', 'relaygate.db');
    const db = openSqlite(file);
    db.pragma('user_version = 999');
    db.close();
    const program = await start();
    expect((await program.ended).code).toBe(1);
    expect(program.complaint).toMatch(/\(database-too-new\)$/);
    const after = openSqlite(file, { readonly: true });
    expect(after.pragma('user_version', { simple: true })).toBe(999);
    after.close();
  });

  test('secrets that others may read', async () => {
    await startOnce();
    const secrets = join(folder, 'data', 'secrets.json');
    expect(statSync(secrets).mode & 0o777).toBe(0o600);
    execFileSync('chmod', ['644', secrets]);
    const program = await start();
    expect((await program.ended).code).toBe(1);
    expect(program.complaint).toMatch(/chmod 600 .*\(secrets-unusable\)$/);
  });
});

describe('SIGTERM', () => {
  test('an idle server with a linked device closes the link with 1012 and exits 0', async () => {
    const program = await start();
    const url = await ready(program);
    const create = ['product', 'create', '--outputs', '4', '--activate-all', '--json'];
    const made = JSON.parse(await runToEnd({ name: 'product create', file: FILE, args: create, env }));
    const device = await new ScriptedDevice(url, newIdentity(made.productLogin, made.enrolmentCode)).linkUp();
    const startMs = performance.now();
    program.kill('SIGTERM');
    expect((await program.ended).code).toBe(0);
    expect(performance.now() - startMs).toBeLessThan(4_500);
    expect(await device.closing()).toBe(1012);
  });

  test('a disk that hangs under the checkpoint file holds neither the server nor its end', async () => {
    const [file, hangs, preload] = [join(folder, 'checkpoint.json'), join(folder, 'hangs'), join(folder, 'preload.js')];
    writeFileSync(preload, hangingWhere(hangs));
    const program = await start({ RELAYGATE_AUDIT_CHECKPOINT_FILE: file, NODE_OPTIONS: `--require=${preload}` });
    await ready(program);
    writeFileSync(hangs, '');
    await runToEnd({ name: 'client create', file: FILE, args: ['client', 'create', '--name', 'a'], env });
    const appended = program.line(/audit checkpoint"/);
    const startMs = performance.now();
    program.kill('SIGTERM');
    await appended;
    expect(await program.ended).toEqual({ code: 0, signal: null });
    expect(performance.now() - startMs).toBeLessThan(8_000);
    expect(program.complaint).toContain('not written to its file: it takes too long');
  });

  test('a restarted server goes on with the same keys and data', async () => {
    const first = await start();
    await ready(first);
    const client = JSON.parse(
      await runToEnd({ name: 'client create', file: FILE, args: ['client', 'create', '--name', 'a', '--json'], env }),
    );
    await first.stop();
    const url = await ready(await start());
    const body = JSON.stringify({ clientKey: client.clientKey });
    const answer = await fetch(`${url}/api/v1/auth/login`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body,
    });
    expect(answer.status).toBe(200);
  });
});

test('no secret is printed or logged', async () => {
  const lines: string[] = [];
  const program = await Program.start({
    name: 'relaygate-server',
    file: FILE,
    args: ['start'],
    env: { ...env, RELAYGATE_LOG_LEVEL: 'debug' },
    onLine: (line) => lines.push(line),
  });
  programs.push(program);
  const url = await ready(program);
  const client = JSON.parse(
    await runToEnd({ name: 'client create', file: FILE, args: ['client', 'create', '--name', 'a', '--json'], env }),
  );
  const post = (path: string, body: object) =>
    fetch(`${url}/api/${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
  const pair = (await (await post('login', client)).json()) as Record<string, string>;
  await post('refreshToken', { ...pair, ...client });
  await post('v1/auth/refresh', { refreshToken: `${pair.refreshToken}x` });
  await program.stop();
  const log = lines.join('\n');
  for (const secret of [client.clientKey, pair.accessToken, pair.refreshToken]) expect(log).not.toContain(secret);
});
