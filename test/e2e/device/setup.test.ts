/** From a file on the boot partition to a device that is linked, with the programs as users start them. */
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { scryptPin } from '@relaygate/device-agent/platform/scrypt-pin';
import {
  type DeviceFolders,
  makeDeviceFolders,
  type Ran,
  relayctl,
  run,
  startAgent,
  startAgentWithGuard,
  startGuard,
  stopDevice,
} from '../../support/device/device';
import { proveByPage } from '../../support/device/prove-by-page';
import { TlsBrowser } from '../../support/device/tls-browser';
import { relaygateFlash } from '../../support/processes/flash';
import { freePort } from '../../support/processes/free-port';
import { Program, runToEnd } from '../../support/processes/program';
import { type Answer, v1 } from '../../support/server/api-client';
import { enrolmentCode as codeOf } from '../../support/server/codes';
import { eventually } from '../../support/time/waiting';

const SERVER = 'server/bin/relaygate-server.js';
const TEST_MS = 60_000;

let folders: DeviceFolders & { remove(): void };
let boot: string;
let network: string;
const programs: Program[] = [];
beforeEach(() => {
  folders = makeDeviceFolders();
  boot = mkdtempSync(join(tmpdir(), 'rg-boot-'));
  network = mkdtempSync(join(tmpdir(), 'rg-net-'));
});
afterEach(async () => {
  await stopDevice(programs.splice(0).reverse(), folders);
  for (const folder of [boot, network]) rmSync(folder, { recursive: true });
});

const options = (): string[] => ['--data', folders.dataDir, '--run', folders.runDir, '--boot', boot];
const take = (): Promise<Ran> => run('relaygate-setup', ['take', ...options(), '--network-dir', network]);
const onDevice = (name: string): string => join(folders.dataDir, name);
const onBoot = (name: string): string => readFileSync(join(boot, name), 'utf8');
const writeSite = (site: object): void => writeFileSync(join(boot, 'relaygate-site.json'), JSON.stringify(site));

test('a factory reset that was cut short takes the site’s Wi-Fi from NetworkManager, and start again finishes it', async () => {
  const connection = join(network, 'relaygate-wifi.nmconnection');
  writeFileSync(connection, 'psk=secret', { mode: 0o600 });
  for (const name of ['reset-begun.json', 'wifi.nmconnection', 'settings.json']) writeFileSync(onDevice(name), '{}');
  const { code, stderr } = await take();
  expect([code, stderr]).toEqual([1, expect.stringContaining('start relaygate-agent, which finishes it')]);
  expect(existsSync(connection)).toBe(false);
  const args = ['--data', folders.dataDir, '--run', folders.runDir];
  expect((await run('relaygate-agent', args)).stderr).toMatch(/is finished: this device has no settings yet/);
  expect(existsSync(onDevice('wifi.nmconnection'))).toBe(false);
  expect((await take()).code).toBe(0);
  expect(existsSync(connection)).toBe(false);
});

test('settings that cannot be read are said on the boot partition with what to do, and nothing is changed', async () => {
  writeFileSync(onDevice('settings.json'), '{');
  expect((await take()).code).toBe(0);
  expect(onBoot('relaygate-status.txt')).toMatch(
    /SETTINGS UNREADABLE: .*settings\.json is not JSON .*\r\n.*revoke-device/,
  );
  rmSync(onDevice('settings.json'));
  // It is there, and cannot be read by anybody.
  mkdirSync(onDevice('settings.json'));
  writeSite({ serverUrl: 'wss://h', productLogin: 'gate-1', board: { profile: 'generic-active-high' } });
  expect(await take()).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('settings.json cannot be read: EISDIR'),
  });
  const status = onBoot('relaygate-status.txt');
  expect(status).toContain('settings.json cannot be read: EISDIR');
  expect(status).not.toContain('NOT TAKEN OVER');
});

async function started<T extends Program>(starting: Promise<T>): Promise<T> {
  const program = await starting;
  programs.push(program);
  return program;
}

function startWatch(): Promise<Program> {
  const file = 'device-agent/bin/relaygate-setup.js';
  return started(Program.start({ name: 'relaygate-setup', file, args: ['watch', ...options()] }));
}

/** The settings as relaygate-flash makes them, on the boot partition; resolves with the PIN of the label. */
async function prepareSite(url: string, productLogin: string, enrolmentCode: string): Promise<string> {
  const file = (name: string, text: string): string => {
    writeFileSync(join(network, name), text);
    return join(network, name);
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
  const to = ['--settings-only', '--out', boot, '--json'];
  const { code } = await relaygateFlash('prepare', ...device, '--outputs-file', outputs, ...wifi, ...page, ...to);
  expect(code).toBe(0);
  return />PIN (\d{8})</.exec(onBoot('label.svg'))?.[1] ?? 'none';
}

async function startServer(): Promise<{ url: string; env: Record<string, string> }> {
  const env = { RELAYGATE_DATA_DIR: join(boot, 'server'), RELAYGATE_LISTEN: '127.0.0.1:0' };
  const server = await started(Program.start({ name: 'relaygate-server', file: SERVER, args: ['start'], env }));
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
  const file = onDevice('settings.json');
  writeFileSync(file, JSON.stringify({ ...JSON.parse(readFileSync(file, 'utf8')), web: { port } }));
  return port;
}

const SITE = {
  board: { settings: { kind: 'simulated' } },
  outputs: [
    { name: 'Gate', mode: 'impulse', pulseMs: 300 },
    { name: 'Light', mode: 'on-off' },
  ],
  wifi: { ssid: 'Chez nous', passphrase: 'tres secret', country: 'FR' },
};

test.each(['own-relays', 'generic-active-high'])(
  'relayctl board knows the profile %s that came with the card, before any of that name',
  async (name) => {
    const relays = [16, 24].map((bcm, n) => ({ label: `K${n}`, bcm }));
    const about = { title: 'Relays of our own', source: 'This test', verified: false, notes: [] };
    const ownProfile = { name, kind: 'gpio', activeLevel: 'high', relays, ...about };
    const link = { serverUrl: 'ws://127.0.0.1:9', productLogin: 'gate', enrolmentCode: codeOf() };
    writeSite({ ...link, board: { profile: name, ownProfile } });
    expect((await take()).code).toBe(0);
    const board = (...args: string[]): Promise<Ran> => relayctl(folders.runDir, 'board', ...args);

    // Nobody knows it yet, and nobody is told that there is none.
    const away = /agent does not run.*start relaygate-agent.*not known which profile came with the card/;
    for (const args of [['list'], ['list', '--json'], ['show', 'lcus-1', '--json'], ['ports', '--json']])
      expect(await board(...args)).toMatchObject({ code: 0, stderr: expect.stringMatching(away) });
    expect(JSON.parse((await board('list', '--json')).stdout)).not.toContainEqual(expect.objectContaining({ relays }));
    if (name === 'own-relays')
      expect(await board('show', name)).toMatchObject({
        code: 2,
        stderr: expect.stringMatching(away),
      });
    // The program's own of that name is not the one that is meant.
    expect(await board('use', 'generic-active-high', '--yes')).toMatchObject({
      code: 3,
      stderr: expect.stringMatching(/^relayctl: agent-unreachable: .*which profile came with the card/),
    });

    const agent = await started(startAgent(folders));
    const hidesOwn = name === 'generic-active-high';
    const found = { name, relays, fromCard: true, hidesOwn };
    const came = `came with the card of this device${hidesOwn ? ", and stands for the program's own of this name" : ''}`;
    const listed = JSON.parse((await board('list', '--json')).stdout);
    expect(listed.filter((one: { name: string }) => one.name === name)).toEqual([expect.objectContaining(found)]);
    expect(listed.filter(({ fromCard }: { fromCard: boolean }) => fromCard)).toHaveLength(1);
    expect(listed.length).toBeGreaterThan(12);
    expect((await board('list')).stdout).toMatch(new RegExp(`^${name} +2 .*Relays of our own \\(${came}\\)$`, 'm'));
    expect(JSON.parse((await board('show', name, '--json')).stdout)).toMatchObject(found);
    expect((await board('show', name)).stdout).toContain(`\nit ${came}\n`);
    const asked = await board('use', name);
    expect(asked).toMatchObject({
      code: 2,
      stderr: expect.stringContaining(`"${name}", which ${came}, will be the board`),
    });
    // It can be chosen again.
    const other = await board('use', 'generic-active-low', '--yes', '--json');
    expect(JSON.parse(other.stdout)).toMatchObject({ mustRestart: true });
    const again = await board('use', name, '--yes', '--json');
    expect(JSON.parse(again.stdout)).toMatchObject({ after: { lines: [16, 24] } });
    // A folder that is named is the only one.
    const folder = join(boot, 'profiles');
    mkdirSync(folder);
    expect(JSON.parse((await board('list', '--profiles', folder, '--json')).stdout)).toEqual([]);
    await stopDevice([agent]);
  },
  TEST_MS,
);

test(
  'a card with a site enrols, links and says so, and its secrets are gone from the boot partition',
  async () => {
    const { url, env } = await startServer();
    const product = await runServer(env, 'product', 'create', '--outputs', '2', '--activate-all');
    const { productLogin = '', enrolmentCode = '' } = product;
    const pin = await prepareSite(url, productLogin, enrolmentCode);
    expect(await take()).toMatchObject({ code: 0, stdout: expect.stringContaining(`product ${productLogin}`) });
    for (const secret of [enrolmentCode, 'tres secret']) expect(onBoot('relaygate-site.json')).not.toContain(secret);
    const secrets = [join(network, 'relaygate-wifi.nmconnection'), onDevice('enrolment-code'), onDevice('pin.json')];
    for (const file of secrets) expect(statSync(file).mode & 0o777).toBe(0o600);
    const { salt, hash } = JSON.parse(readFileSync(onDevice('pin.json'), 'utf8'));
    expect(Buffer.from(await scryptPin(pin, Buffer.from(salt, 'base64url'))).toString('base64url')).toBe(hash);

    const phone = new TlsBrowser(await movePage());
    await started(startGuard(folders));
    await started(startAgentWithGuard(folders));
    const watch = await startWatch();
    await eventually(async () => (await relayctl(folders.runDir, 'status', '--json')).stdout.includes('"isUp":true'));
    await watch.line(/LINKED to ws.*PAGE ON/, 40_000);
    const said = onBoot('relaygate-status.txt').split('\r\n\r\n');
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
    expect(await relaygateFlash('label', '--site', boot, '--from', boot, '--json')).toMatchObject({ code: 0 });
    expect(onBoot('label.svg')).toContain(`>page ${fingerprint.slice(0, 48)}<`);
    expect(onBoot('label.svg')).toContain(`>PIN ${pin}<`);
    expect((await relayctl(folders.runDir, 'pulse', '0')).code).toBe(0);

    const switchOn = await application(url, env, product);
    expect((await switchOn()).status).toBe(504);
    expect((await relayctl(folders.runDir, 'log', '-n', '20')).stdout).toContain('refused (not-proven)');
    expect(await phone.logIn(pin, 'Ada')).toMatchObject({ status: 200 });
    expect(await proveByPage(phone, 'Ada')).toMatchObject({ result: 'proven', proof: { by: 'Ada' } });
    expect((await switchOn()).status).toBe(200);
  },
  TEST_MS,
);

test('a wrong file is named in words on the boot partition, and the settings of before stay', async () => {
  writeSite({ ...SITE, serverUrl: 'wss://gate.invalid', productLogin: 'gate-1', enrolmentCode: codeOf() });
  expect((await take()).code).toBe(0);
  const settings = readFileSync(join(folders.dataDir, 'settings.json'), 'utf8');
  writeSite({ ...SITE, serverUrl: 'gate.invalid', productLogin: 'gate-1' });
  const { code, stderr } = await take();
  expect(code).toBe(1);
  expect(stderr).toMatch(/^relaygate-setup: bad-setting: relaygate-site\.json: serverUrl .*; serverUrl is "wss:/m);
  expect(onBoot('relaygate-status.txt')).toMatch(
    /NOT TAKEN OVER: relaygate-site\.json: serverUrl .*settings of before/s,
  );
  expect(readFileSync(join(folders.dataDir, 'settings.json'), 'utf8')).toBe(settings);
});

test('a card without settings says what is missing', async () => {
  expect((await take()).code).toBe(0);
  expect(onBoot('relaygate-status.txt')).toMatch(/NO SETTINGS: .*Put a file relaygate-site\.json/s);
});

test(
  'without its server the device says why, and moves its relays on the spot',
  async () => {
    writeSite({ ...SITE, serverUrl: 'ws://127.0.0.1:9', productLogin: 'gate-1', enrolmentCode: codeOf() });
    expect((await take()).code).toBe(0);
    await started(startGuard(folders));
    await started(startAgentWithGuard(folders));
    await (await startWatch()).line(/NOT LINKED/, 40_000);
    expect(onBoot('relaygate-status.txt')).toMatch(/NOT LINKED: .*its relays can be moved/s);
    expect((await relayctl(folders.runDir, 'set', '1', 'on')).code).toBe(0);
  },
  TEST_MS,
);

test('while the agent runs nothing is taken over', async () => {
  writeSite({ ...SITE, serverUrl: 'ws://127.0.0.1:9', productLogin: 'gate-1', enrolmentCode: codeOf() });
  await take();
  await started(startGuard(folders));
  await started(startAgentWithGuard(folders));
  expect(await take()).toMatchObject({ code: 1, stderr: expect.stringContaining('already-running') });
});
