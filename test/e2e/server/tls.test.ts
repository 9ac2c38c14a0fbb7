import { generateKeyPairSync } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { get } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import {
  type DeviceFolders,
  makeDeviceFolders,
  startAgent,
  startGuard,
  writeDeviceSettings,
  writeEnrolmentCode,
} from '../../support/device/device';
import { Certificate } from '../../support/processes/certificate';
import { missingProgram } from '../../support/processes/missing-program';
import { describeWhere } from '../../support/processes/needs';
import { Program, runToEnd } from '../../support/processes/program';

const FILE = 'server/bin/relaygate-server.js';

describeWhere(missingProgram('openssl', 'openssl'))('a server with a certificate of its own', () => {
  let folder: string;
  let certificate: Certificate;
  let env: Record<string, string>;
  let server: Program;
  let url: string;
  let product: { productLogin: string; enrolmentCode: string };
  let device: DeviceFolders & { remove(): void };
  let guard: Program;

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'rg-tls-'));
    certificate = new Certificate('127.0.0.1');
    env = {
      RELAYGATE_DATA_DIR: join(folder, 'data'),
      RELAYGATE_LISTEN: '127.0.0.1:0',
      RELAYGATE_TLS_CERT: certificate.certFile,
      RELAYGATE_TLS_KEY: certificate.keyFile,
    };
    server = await Program.start({ name: 'relaygate-server', file: FILE, args: ['start'], env });
    [, url = ''] = await server.line(/^listening on (https:\S+)$/);
    const args = ['product', 'create', '--outputs', '4', '--json'];
    product = JSON.parse(await runToEnd({ name: 'product create', file: FILE, args, env }));
    device = makeDeviceFolders();
    const link = {
      serverUrl: url.replace('https', 'wss'),
      serverName: 'relaygate',
      productLogin: product.productLogin,
    };
    writeDeviceSettings(device.dataDir, { link });
    writeEnrolmentCode(device.dataDir, product.enrolmentCode);
    guard = await startGuard(device);
  });
  afterAll(async () => {
    await guard.stop();
    await server.stop();
    device.remove();
    certificate.remove();
    rmSync(folder, { recursive: true });
  });

  test('refuses to start with a key that is not of its certificate, of whatever kind', async () => {
    for (const kind of ['ed25519', 'ec'] as const) {
      const options = { publicKeyEncoding: { format: 'pem', type: 'spki' } as const, namedCurve: 'prime256v1' };
      const privateKeyEncoding = { format: 'pem', type: 'pkcs8' } as const;
      const { privateKey } =
        kind === 'ec'
          ? generateKeyPairSync('ec', { ...options, privateKeyEncoding })
          : generateKeyPairSync('ed25519', { ...options, privateKeyEncoding });
      const keyFile = join(folder, `${kind}.pem`);
      writeFileSync(keyFile, privateKey);
      const other = { ...env, RELAYGATE_DATA_DIR: join(folder, kind), RELAYGATE_TLS_KEY: keyFile };
      const started = runToEnd({ name: 'start', file: FILE, args: ['start'], env: other });
      await expect(started).rejects.toThrow(
        /RELAYGATE_TLS_CERT and RELAYGATE_TLS_KEY must be .* of one pair.*\(bad-setting\)/,
      );
    }
  });

  test('serves the API over HTTPS', async () => {
    const status = await new Promise((resolve, reject) => {
      get(`${url}/readyz`, { ca: readFileSync(certificate.certFile) }, (response) =>
        resolve(response.resume().statusCode),
      ).on('error', reject);
    });
    expect(status).toBe(200);
  });

  test('an agent that does not know the certificate says so and does not link', async () => {
    const agent = await startAgent(device);
    await agent.line(/certificate/i);
    await agent.stop();
  });

  test('an agent that has it as serverCaFile links', async () => {
    const link = {
      serverUrl: url.replace('https', 'wss'),
      serverName: 'relaygate',
      productLogin: product.productLogin,
      serverCaFile: certificate.certFile,
    };
    writeDeviceSettings(device.dataDir, { link });
    const agent = await startAgent(device);
    await agent.line(/link up/);
    await agent.stop();
  });
});
