/** What the doctor sees of a real machine: TLS and DNS on loopback, real files and processes. */
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { openersOf } from '@relaygate/device-agent/platform/file-openers';
import { host } from '@relaygate/device-agent/platform/host';
import { runAndKill } from '@relaygate/device-agent/platform/killed-process';
import { NO_SERVER } from '../support/device/device';
import { Certificate } from '../support/processes/certificate';
import { missingProgram } from '../support/processes/missing-program';
import { describeWhere } from '../support/processes/needs';

describeWhere(missingProgram('openssl', 'openssl'))('a server with TLS', () => {
  let certificate: Certificate;
  let other: Certificate;
  let server: Server;
  beforeAll(async () => {
    certificate = new Certificate('127.0.0.1');
    other = new Certificate('127.0.0.1');
    const keys = { key: readFileSync(certificate.keyFile), cert: readFileSync(certificate.certFile) };
    server = createServer(keys, (_request, response) => response.end());
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  });
  afterAll(() => {
    server.close();
    for (const made of [certificate, other]) made.remove();
  });
  const url = () => `wss://127.0.0.1:${(server.address() as AddressInfo).port}`;

  test('shows its clock, its round trip and when its certificate ends', async () => {
    const seen = await host.askServer({ ...NO_SERVER, serverUrl: url(), serverCaFile: certificate.certFile });
    expect(seen.roundTripMs).toBeGreaterThan(0);
    expect(Math.abs(seen.ownEpochMs - (seen.serverEpochMs ?? 0))).toBeLessThan(5_000);
    const leftMs = (seen.certificateEndsMs ?? 0) - Date.now();
    expect(leftMs).toBeGreaterThan(86_400_000);
    expect(leftMs).toBeLessThan(2 * 86_400_000 + 60_000);
  });

  test('that the settings do not trust is not spoken to', async () => {
    await expect(host.askServer({ ...NO_SERVER, serverUrl: url() })).rejects.toMatchObject({
      code: 'DEPTH_ZERO_SELF_SIGNED_CERT',
    });
    await expect(
      host.askServer({ ...NO_SERVER, serverUrl: url(), serverCaFile: other.certFile }),
    ).rejects.toMatchObject({ code: expect.stringMatching(/SELF_SIGNED|UNABLE_TO|SIGNATURE/) });
  });
});

describe('a real machine', () => {
  test('without a server there says what refused', async () => {
    await expect(host.askServer(NO_SERVER)).rejects.toMatchObject({ code: 'ECONNREFUSED' });
  });

  test('resolves names, and says which it cannot', async () => {
    expect(await host.addressesOf('localhost')).toEqual(expect.arrayContaining([expect.stringMatching(/^(127|::1)/)]));
    await expect(host.addressesOf('no-such-host.invalid')).rejects.toMatchObject({ code: expect.any(String) });
  });

  test('tells what is not there from what cannot be read', () => {
    expect(host.textOf('/no/such/file')).toBeNull();
    expect(host.rightsOf('/no/such/file')).toBeNull();
    expect(() => host.textOf(tmpdir())).toThrow(/EISDIR/);
    expect(host.rightsOf(tmpdir())?.mode).toBeGreaterThan(0);
    expect(host.spaceOf(tmpdir()).freeBytes).toBeGreaterThan(0);
  });

  test('runs commands, and knows those that are not there', async () => {
    expect(await host.run('echo', ['well'])).toBe('well\n');
    expect(await host.run('no-such-command', [])).toBeNull();
  });

  test('finds who has a file open, by whatever name it is asked for', () => {
    const folder = mkdtempSync(join(tmpdir(), 'rg-o-'));
    const [file, link] = [join(folder, 'port'), join(folder, 'link')];
    writeFileSync(file, '');
    symlinkSync(file, link);
    expect(host.realPathOf(link)).toBe(host.realPathOf(file));
    expect(host.realPathOf(join(folder, 'nothing'))).toBe(join(folder, 'nothing'));
    expect(openersOf(link).openers).toEqual([]);
    const fd = openSync(file, 'r');
    expect(openersOf(link).openers).toEqual([{ pid: process.pid, commandLine: expect.stringContaining('jest') }]);
    closeSync(fd);
    expect(openersOf(file).openers).toEqual([]);
    rmSync(folder, { recursive: true });
  });

  test('kills a process once what it was to do is done, and tells why it was not', async () => {
    await runAndKill('node:path', 'join', ['a', 'b']);
    await expect(runAndKill(join(tmpdir(), 'no-such-module.js'), 'hold', [])).rejects.toThrow(/Cannot find module/);
  });
});
