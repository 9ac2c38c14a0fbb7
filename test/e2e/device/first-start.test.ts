/** From a file on the boot partition to a device that is linked, with the programs as users start them. */
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { scryptPin } from '@relaygate/device-agent/platform/scrypt-pin';
import { relayctl, startAgentWithGuard, startGuard } from '../../support/device/device';
import { proveByPage } from '../../support/device/prove-by-page';
import { SITE, SiteCard } from '../../support/device/site-card';
import { TlsBrowser } from '../../support/device/tls-browser';
import { relaygateFlash } from '../../support/processes/flash';
import { freePort } from '../../support/processes/free-port';
import { Program, runToEnd } from '../../support/processes/program';
import { type Answer, v1 } from '../../support/server/api-client';
import { eventually } from '../../support/time/waiting';

const SERVER = 'server/bin/relaygate-server.js';
const TEST_MS = 60_000;

let card: SiteCard;
beforeEach(() => {
  card = new SiteCard();
});
afterEach(() => card.remove());

/** The settings as relaygate-flash makes them, on the boot partition; resolves with the PIN of the label. */
async function prepareSite(url: string, productLogin: string, enrolmentCode: string): Promise<string> {
  const file = (name: string, text: string): string => {
    writeFileSync(join(card.network, name), text);
    return join(card.network, name);
  };
  const board = file('board.json', JSON.stringify(SITE.board));
  const outputs = file('outputs.json', JSON.stringify(SITE.outputs));
  const passphrase = file('passphrase', SITE.wifi.passphrase);
  const device = [
    '--server',
    url,
    '--product',
    productLogin,
    '--enrolment',
    enrolmentCode,
    '--board-file',
    board,
    '--simulated',
  ];
  const wifi = ['--wifi', SITE.wifi.ssid, '--wifi-passphrase-file', passphrase, '--country', SITE.wifi.country];
  const page = ['--web-for', '30m'];
  const to = ['--settings-only', '--out', card.boot, '--json'];
  const { code } = await relaygateFlash('prepare', ...device, '--outputs-file', outputs, ...wifi, ...page, ...to);
  expect(code).toBe(0);
  return />PIN (\d{8})</.exec(card.onBoot('label.svg'))?.[1] ?? 'none';
}

async function startServer(): Promise<{ url: string; env: Record<string, string> }> {
  const env = { RELAYGATE_DATA_DIR: join(card.boot, 'server'), RELAYGATE_LISTEN: '127.0.0.1:0' };
  const server = await card.started(Program.start({ name: 'relaygate-server', file: SERVER, args: ['start'], env }));
  const [, url = ''] = await server.line(/^listening on (http:\S+)$/);
  return { url: url.replace('http', 'ws'), env };
}

type Env = Record<string, string>;

async function runServer(env: Env, ...args: string[]): Promise<Record<string, string>> {
  const name = args.slice(0, 2).join(' ');
  return JSON.parse(await runToEnd({ name, file: SERVER, args: [...args, '--json'], env }));
}

/** Calls of an application that has the product's key. */
async function application(url: string, env: Env, product: Record<string, string>): Promise<() => Promise<Answer>> {
  const api = v1(url.replace('ws', 'http'));
  const { clientKey } = await runServer(env, 'client', 'create', '--name', 'app');
  const { accessToken: token } = JSON.parse((await api.login(clientKey)).text);
  const { productLogin = '', productKey } = product;
  expect((await api.addProduct(productLogin, productKey, { token })).status).toBe(201);
  return () => api.set(productLogin, 0, 1, { token });
}

/** The page's usual port may be another program's on this machine. Resolves with the one that it has now. */
async function movePage(): Promise<number> {
  const port = await freePort();
  const file = card.onDevice('settings.json');
  writeFileSync(file, JSON.stringify({ ...JSON.parse(readFileSync(file, 'utf8')), web: { port } }));
  return port;
}

test(
  'a card with a site enrols, links and says so, and its secrets are gone from the boot partition',
  async () => {
    const { url, env } = await startServer();
    const product = await runServer(env, 'product', 'create', '--outputs', '2', '--activate-all');
    const { productLogin = '', enrolmentCode = '' } = product;
    const pin = await prepareSite(url, productLogin, enrolmentCode);
    expect(await card.take()).toMatchObject({ code: 0, stdout: expect.stringContaining(`product ${productLogin}`) });
    for (const secret of [enrolmentCode, 'tres secret'])
      expect(card.onBoot('relaygate-site.json')).not.toContain(secret);
    const secrets = [
      join(card.network, 'relaygate-wifi.nmconnection'),
      card.onDevice('enrolment-code'),
      card.onDevice('pin.json'),
    ];
    for (const file of secrets) expect(statSync(file).mode & 0o777).toBe(0o600);
    const { salt, hash } = JSON.parse(readFileSync(card.onDevice('pin.json'), 'utf8'));
    expect(Buffer.from(await scryptPin(pin, Buffer.from(salt, 'base64url'))).toString('base64url')).toBe(hash);

    const phone = new TlsBrowser(await movePage());
    await card.started(startGuard(card.folders));
    await card.started(startAgentWithGuard(card.folders));
    const watch = await card.startWatch();
    await eventually(async () =>
      (await relayctl(card.folders.runDir, 'status', '--json')).stdout.includes('"isUp":true'),
    );
    await watch.line(/LINKED to ws.*PAGE ON/, 40_000);
    const said = card.onBoot('relaygate-status.txt').split('\r\n\r\n');
    expect(said).toEqual([
      `Relaygate, product ${productLogin}`,
      `LINKED to ${url}.`,
      expect.stringMatching(/^NOT PROVEN: /),
      expect.stringMatching(/^PAGE ON: https:/),
      expect.stringMatching(/^Fingerprint of this device: /),
      expect.stringMatching(/^Since /),
    ]);
    const fingerprint = await phone.fingerprint();
    expect(said[4]).toContain(`\r\nCertificate of its page: SHA-256 ${fingerprint}`);
    expect(await relaygateFlash('label', '--site', card.boot, '--from', card.boot, '--json')).toMatchObject({
      code: 0,
    });
    expect(card.onBoot('label.svg')).toContain(`>page ${fingerprint.slice(0, 48)}<`);
    expect(card.onBoot('label.svg')).toContain(`>PIN ${pin}<`);
    expect((await relayctl(card.folders.runDir, 'pulse', '0')).code).toBe(0);

    const switchOn = await application(url, env, product);
    expect((await switchOn()).status).toBe(504);
    expect((await relayctl(card.folders.runDir, 'log', '-n', '20')).stdout).toContain('refused (not-proven)');
    expect(await phone.logIn(pin, 'Ada')).toMatchObject({ status: 200 });
    expect(await proveByPage(phone, 'Ada')).toMatchObject({ result: 'proven', proof: { by: 'Ada' } });
    expect((await switchOn()).status).toBe(200);
  },
  TEST_MS,
);
