/** The technician's page of the built programs, over TLS; no server, no browser. */
import { readdirSync, readFileSync, readlinkSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import type { Diagnosis } from '@relaygate/device-agent/agent/technician/local-messages/doctor';
import { edgeLogOf, pulsesOf, waitForEdges, writeDeviceSettings } from '../../support/device/device';
import { ScriptedNmcli } from '../../support/device/scripted-nmcli';
import { foldersForEach } from '../../support/device/test-device';
import { TlsBrowser } from '../../support/device/tls-browser';
import { freePort } from '../../support/processes/free-port';
import { PULSE_EARLY_MS } from '../../support/time/tolerances';
import { eventually, pause } from '../../support/time/waiting';

/** Of TCP sockets that listen, as /proc/net/tcp has it. */
const LISTENS = '0A';

const device = foldersForEach();
let port: number;
let phone: TlsBrowser;

const ctl = (...args: string[]) => device.relayctl(...args);
async function json(...args: string[]): Promise<Record<string, unknown>> {
  const { stdout, stderr } = await ctl(...args, '--json');
  return JSON.parse(stdout || stderr);
}
const newPin = async (): Promise<string> => String((await json('identity', '--new-pin', '--yes')).pin);

/** TCP ports at which a process listens, by its open files. */
function portsOf(pid: number): number[] {
  const inodes = new Set<string>();
  for (const fd of readdirSync(`/proc/${pid}/fd`)) {
    try {
      const inode = /^socket:\[(\d+)\]$/.exec(readlinkSync(`/proc/${pid}/fd/${fd}`))?.[1];
      if (inode !== undefined) inodes.add(inode);
    } catch {
      // Closed meanwhile.
    }
  }
  return ['tcp', 'tcp6'].flatMap((table) =>
    readFileSync(`/proc/${pid}/net/${table}`, 'utf8')
      .split('\n')
      .slice(1)
      .map((line) => line.trim().split(/\s+/))
      .filter((row) => row[3] === LISTENS && inodes.has(row[9] ?? ''))
      .map((row) => Number.parseInt(row[1]?.split(':')[1] ?? '', 16)),
  );
}

beforeEach(async () => {
  port = await freePort();
  writeDeviceSettings(device.dataDir, { web: { port, buttonInput: 0 } });
  writeFileSync(join(device.dataDir, 'inputs.json'), '["high"]');
  await device.startPrograms();
  phone = new TlsBrowser(port);
});

test('no port is open until the page is on, and none after it is off or the agent was started again', async () => {
  expect(portsOf(device.agent.pid)).toEqual([]);
  expect(await json('web', 'on')).toMatchObject({ error: 'no-pin' });
  expect(portsOf(device.agent.pid)).toEqual([]);
  await newPin();
  expect(await json('web', 'on', '--for', '5m')).toMatchObject({ isOn: true, port });
  expect(portsOf(device.agent.pid)).toEqual([port]);
  expect((await ctl('web', 'status')).stdout).toMatch(/^page +on for (5m|4m 5\ds)$/m);
  expect((await ctl('web', 'off')).stdout).toBe('The page is off; no port is open.\n');
  expect(portsOf(device.agent.pid)).toEqual([]);
  expect((await ctl('web', 'status')).stdout).toBe('page         off; no port is open\n');
  await ctl('web', 'on');
  expect(portsOf(device.agent.pid)).toEqual([port]);
  device.agent.kill('SIGKILL');
  await device.agent.ended;
  await device.startAgentWithGuard();
  expect(portsOf(device.agent.pid)).toEqual([]);
  expect(await json('web', 'status')).toMatchObject({ isOn: false });
});

test('a technician with a phone changes a pulse and tries it, and relayctl tells who it was', async () => {
  const pin = await newPin();
  await ctl('web', 'on');
  expect(await phone.logIn(pin, 'Léa')).toMatchObject({ status: 200 });
  await phone.act('output', { numOutput: 2, change: { pulseMs: 750 }, force: false });
  expect(await phone.act('pulse', { numOutput: 2 })).toMatchObject({
    status: 200,
    value: { value: { outcome: 'executed' } },
  });
  const moved = await waitForEdges(edgeLogOf(device.dataDir), (seen) => pulsesOf(seen, 2).length === 1);
  expect(pulsesOf(moved, 2)[0]).toBeGreaterThanOrEqual(750 - PULSE_EARLY_MS);
  const { stdout } = await ctl('history');
  expect(stdout).toMatch(/page as Léa {2}output[\s\S]*pulseMs: 500 -> 750[\s\S]*page as Léa {2}pulse 2: executed/);
  expect((await ctl('status')).stdout).toMatch(/pulse 2 .*page as Léa/);
});

test('the certificate is the device’s own: made once, for nobody else to read, and told by relayctl', async () => {
  await newPin();
  const { fingerprint } = await json('web', 'on');
  expect(await phone.fingerprint()).toBe(fingerprint);
  expect(statSync(join(device.dataDir, 'web-certificate.json')).mode & 0o777).toBe(0o600);
  await device.agent.stop();
  await device.startAgentWithGuard();
  expect((await ctl('identity')).stdout).toContain(`SHA-256 ${fingerprint}`);
  writeFileSync(join(device.dataDir, 'web-certificate.json'), 'torn');
  const other = (await json('web', 'on')).fingerprint;
  expect(other).not.toBe(fingerprint);
  expect(await phone.fingerprint()).toBe(other);
  expect(readFileSync(join(device.dataDir, 'web-certificate.json.corrupt-1'), 'utf8')).toBe('torn');
});

test('the doctor says at the page what relayctl says, in the language of the page', async () => {
  const pin = await newPin();
  await ctl('web', 'on');
  await phone.logIn(pin);
  const [seen, refused] = await Promise.all([
    phone.act('doctor', { language: 'fr' }),
    phone.act('doctor', { language: 'fr' }),
  ]).then((both) => both.sort((one, other) => one.status - other.status));
  expect(refused).toMatchObject({ status: 409, value: { error: { code: 'refused' } } });
  const told = await json('doctor', '--data', device.dataDir);
  const verdictsOf = (diagnosis: unknown) =>
    (diagnosis as Diagnosis).findings.map(({ code, verdict }) => [code, verdict]);
  const { value: french }: { value: Diagnosis } = JSON.parse(seen?.text ?? '{}');
  expect(verdictsOf(french)).toEqual(verdictsOf(told));
  expect(french.findings[0]).toMatchObject({
    name: 'réglages',
    found: expect.stringContaining('sorties sur une carte'),
  });
});

describe('while it is on', () => {
  let pin: string;
  beforeEach(async () => {
    pin = await newPin();
    await ctl('web', 'on');
  });

  test('what is too large is refused before it is read, announced or not', async () => {
    const large = JSON.stringify({ pin: 'x'.repeat(20_000) });
    expect(await phone.send('POST', '/api/session', large)).toMatchObject({
      status: 413,
      value: { error: { code: 'payload-too-large' } },
    });
    const unannounced = await phone.send('POST', '/api/session', large, { 'transfer-encoding': 'chunked' });
    expect(unannounced.status).toBe(413);
    expect((await phone.send('GET', `/${'a'.repeat(10_000)}`)).status).toBe(431);
    expect((await phone.logIn(pin)).status).toBe(200);
  });

  test('plain HTTP, noise and a broken request get nothing, and nobody else suffers', async () => {
    const socket = await phone.connection();
    let heard = '';
    socket.on('data', (bytes) => {
      heard += String(bytes);
    });
    socket.write('NOT HTTP\r\n\r\n');
    await eventually(() => socket.closed);
    expect(heard).toMatch(/^HTTP\/1\.1 400 [\s\S]*"code":"bad-request"/);
    await expect(fetch(`http://127.0.0.1:${port}/`)).rejects.toThrow();
    expect((await phone.logIn(pin)).status).toBe(200);
  });

  test('slow clients are cut off, and one address cannot keep the port from others', async () => {
    const slow = await Promise.all(Array.from({ length: 8 }, () => phone.connection()));
    for (const socket of slow) {
      socket.on('error', () => {}).resume();
      socket.write('POST /api/session HTTP/1.1\r\nHost: x\r\n');
    }
    expect((await phone.logIn(pin)).status).toBe(200);
    await eventually(() => slow.every((socket) => socket.destroyed), 20_000);
    const many = await Promise.allSettled(Array.from({ length: 20 }, () => phone.connection()));
    const idle = many.flatMap((one) => (one.status === 'fulfilled' ? [one.value.on('error', () => {}).resume()] : []));
    await eventually(() => idle.filter(({ destroyed }) => !destroyed).length <= 12);
    // They stay, and whoever comes now is let in all the same.
    expect((await phone.act('status')).status).toBe(200);
    for (const socket of idle) socket.destroy();
  });

  test('goes off under a request that waits: it is cut, and no port is open', async () => {
    await phone.logIn(pin);
    const seen = JSON.parse((await phone.act('log', { limit: 500, waitMs: 0 })).text).value;
    const after = { logId: seen.logId, seq: seen.events.at(-1).seq };
    const cut = phone.act('log', { limit: 1, after, waitMs: 10_000 }).then(
      ({ status }) => status,
      () => 'cut',
    );
    await eventually(async () => (await phone.act('status')).status === 200);
    await ctl('web', 'off');
    expect(portsOf(device.agent.pid)).toEqual([]);
    expect(await cut).toBe('cut');
    await expect(phone.act('status')).rejects.toThrow();
  });

  test('what the agent prints holds no secret', async () => {
    await phone.logIn(pin, 'Léa');
    await phone.logIn('00000000');
    await device.agent.line(/logged in: page as Léa/);
    for (const secret of [pin, phone.csrfToken, phone.cookie?.split('=')[1] ?? '']) {
      expect(secret).not.toBe('');
      await expect(device.agent.line(new RegExp(secret), 50)).rejects.toThrow('did not print');
    }
  });
});

describe('with a Wi-Fi of the device', () => {
  const BEGUN = expect.stringMatching('^connection add save no .* ssid Relaygate test-product .*psk-flags 2 ');
  const DELETED = 'connection delete relaygate-page';
  let nmcli: ScriptedNmcli;
  async function startWithNmcli(): Promise<void> {
    const env = { PATH: `${nmcli.folder}:${process.env.PATH}` };
    await device.startAgentWithGuard({ env });
  }
  beforeEach(async () => {
    nmcli = new ScriptedNmcli();
    await device.agent.stop();
    await startWithNmcli();
    await newPin();
  });
  afterEach(() => nmcli.remove());

  test('shows its passphrase once, and ends it with the page or with the next agent', async () => {
    nmcli.says('wlan0:wifi\\n', { [DELETED]: 10 });
    const { stdout } = await ctl('web', 'on', '--hotspot');
    const passphrase = /^passphrase +(\S+) /m.exec(stdout)?.[1] ?? '';
    expect(passphrase).toHaveLength(14);
    expect(nmcli.asked).toContainEqual(BEGUN);
    expect(nmcli.asked.join()).not.toContain(passphrase);
    expect(nmcli.secrets).toBe(`802-11-wireless-security.psk:${passphrase}\n`);
    expect((await ctl('web', 'status')).stdout).toMatch(/^Wi-Fi +Relaygate test-product$/m);
    await expect(device.agent.line(new RegExp(passphrase), 50)).rejects.toThrow('did not print');
    await ctl('web', 'off');
    expect(nmcli.asked.at(-1)).toBe(DELETED);
    await ctl('web', 'on', '--hotspot');
    device.agent.kill('SIGKILL');
    await device.agent.ended;
    const before = nmcli.asked.length;
    await startWithNmcli();
    await eventually(() => nmcli.asked.slice(before).includes(DELETED));
    expect((await json('web', 'status')).hotspotSsid).toBeNull();
  });
});

test('a button that is held for 5 s switches it on', async () => {
  await newPin();
  // CheckResult released first.
  await pause(1_500);
  writeFileSync(join(device.dataDir, 'inputs.json'), '["low"]');
  const begun = Date.now();
  await eventually(() => portsOf(device.agent.pid).includes(port), 15_000);
  expect(Date.now() - begun).toBeGreaterThan(4_400);
  expect((await ctl('history', '-n', '1')).stdout).toMatch(/ button {2}web-on: for 30m, executed/);
}, 30_000);
