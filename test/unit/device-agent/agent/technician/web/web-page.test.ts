/** Switching the page on and off, by an agent in memory under a virtual clock. */
import { beforeEach, describe, expect, test } from '@jest/globals';
import type { WebOnReply, WebStatus } from '@relaygate/device-agent/agent/technician/local-messages/web';
import { parseDeviceSettings } from '@relaygate/shared/device';
import { AgentInMemory, HISTORY_PATH } from '../../../../../support/device/agent-in-memory';
import { NO_SERVER, outputsWith } from '../../../../../support/device/device';
import { errorWith } from '../../../../../support/device/error-with';
import { fulfilled } from '../../../../../support/time/fulfilled';
import { SAVE_PATIENCE_MS } from '../../../../../support/time/promised-times';

const MINUTE_MS = 60_000;
const CERTIFICATE = '/data/web-certificate.json';
const MARK = '/data/hotspot.json';
let device: AgentInMemory;
beforeEach(async () => {
  device = new AgentInMemory();
  await device.startGuard();
  await device.startAgent();
  await device.localRequest('new-pin', {});
});
const on = (forMs = 30 * MINUTE_MS, hotspot = false) =>
  device.localRequest('web-on', { forMs, hotspot }) as Promise<WebOnReply>;
const off = () => device.localRequest('web-off', {});
const status = () => device.localRequest('web-status', {}) as Promise<WebStatus>;
const isOpen = (): boolean => device.web.listening !== null;
async function again(): Promise<void> {
  device.stopAgent();
  await device.passed();
  await device.startAgent();
}

test('is off until it is switched on, and goes off by itself', async () => {
  expect(isOpen()).toBe(false);
  expect(await status()).toMatchObject({ isOn: false, leftMs: null, urls: [], fingerprint: null });
  expect(await on()).toMatchObject({
    isOn: true,
    leftMs: 30 * MINUTE_MS,
    urls: ['https://192.0.2.7:8443/'],
    fingerprint: 'AA:1',
  });
  expect(device.web.listening?.port).toBe(8_443);
  await device.passed(30 * MINUTE_MS - 1);
  expect(isOpen()).toBe(true);
  await device.passed(1);
  expect(isOpen()).toBe(false);
  expect(await device.localRequest('log', { limit: 1, waitMs: 0 })).toMatchObject({
    events: [{ kind: 'web', text: 'the page is off: its time was over' }],
  });
});

test('is told by port and host name where no address is known', async () => {
  device.web.addresses = [];
  expect(await on()).toMatchObject({ isOn: true, urls: ['https://gate-pi.local:8443/'] });
});

test('is off again when it is told so, once', async () => {
  await on();
  expect(await off()).toEqual({ wasOn: true });
  expect(isOpen()).toBe(false);
  expect(await off()).toEqual({ wasOn: false });
  await device.passed(60 * MINUTE_MS);
  expect((await device.historyEntries({ limit: 10 })).map(({ kind, actor }) => [kind, actor])).toEqual([
    ['pin', 'a test'],
    ['web-on', 'a test'],
    ['web-off', 'a test'],
  ]);
});

test('is entered with its time and its Wi-Fi', async () => {
  await on(30 * MINUTE_MS);
  await off();
  await on(60 * MINUTE_MS, true);
  const entries = await device.historyEntries({ limit: 3 });
  expect(entries).toMatchObject([
    { kind: 'web-on', forMs: 30 * MINUTE_MS, outcome: 'executed' },
    { kind: 'web-off' },
    { kind: 'web-on-wifi', forMs: 60 * MINUTE_MS, outcome: 'executed' },
  ]);
  expect(entries[1]).not.toHaveProperty('forMs');
});

test.each([
  ['on', () => on()],
  ['off', () => off()],
])('is confirmed as %s once its entry is durable', async (_what, ask) => {
  await on();
  const write = device.files.hold(HISTORY_PATH);
  const isConfirmed = fulfilled(ask());
  await device.passed(100);
  expect(isConfirmed()).toBe(false);
  write();
  await device.passed(100);
  expect(isConfirmed()).toBe(true);
});

test('is neither switched on nor off for those who have gone, or come too late, while another change went on', async () => {
  const write = device.files.hold(MARK);
  const first = on(30 * MINUTE_MS, true);
  await device.passed(50);
  const { hangUp, answer } = device.ask('web-off', {});
  answer.catch(() => {});
  const late = expect(on(60 * MINUTE_MS)).rejects.toMatchObject({ code: 'refused' });
  await device.passed(50);
  hangUp();
  await device.passed(5_000);
  write();
  await device.passed(100);
  await late;
  await first;
  expect(await status()).toMatchObject({ isOn: true, leftMs: expect.any(Number) });
  expect((await status()).leftMs).toBeLessThanOrEqual(30 * MINUTE_MS);
});

test('is off after a restart of the agent, and with its end', async () => {
  await on();
  await again();
  expect(isOpen()).toBe(false);
  expect(await status()).toMatchObject({ isOn: false });
});

test('begins its time anew where it is on already, shorter or longer', async () => {
  await on(2 * MINUTE_MS);
  await device.passed(MINUTE_MS);
  await on(10 * MINUTE_MS);
  await device.passed(10 * MINUTE_MS - 1);
  expect(isOpen()).toBe(true);
  await on(MINUTE_MS);
  await device.passed(MINUTE_MS);
  expect(isOpen()).toBe(false);
});

test.each([0, MINUTE_MS - 1, 8 * 3_600_000 + 1, 90_000.5, -1, 1e300])(
  'is not on for %d ms: the range is named',
  async (forMs) => {
    await expect(on(forMs)).rejects.toMatchObject(errorWith('out-of-range', '1m to 8h'));
    expect(isOpen()).toBe(false);
  },
);
test.each([MINUTE_MS, 8 * 3_600_000])('is on for %d ms', async (forMs) => {
  expect(await on(forMs)).toMatchObject({ leftMs: forMs });
});

test('is refused where there is no PIN, for nobody could enter', async () => {
  device = new AgentInMemory();
  await device.start();
  await expect(on()).rejects.toMatchObject({ code: 'no-pin' });
  expect(isOpen()).toBe(false);
});

test('a port that is taken is told, and leaves neither page nor Wi-Fi', async () => {
  device.web.isPortTaken = true;
  await expect(on(MINUTE_MS, true)).rejects.toMatchObject({ code: 'port-in-use' });
  expect(await status()).toMatchObject({ isOn: false, hotspotSsid: null });
  expect(device.web.hotspot).toBeNull();
  device.web.isPortTaken = false;
  expect(await on()).toMatchObject({ isOn: true });
});

test('two at once are one after the other', async () => {
  await Promise.all([on(), off(), on(), off()]);
  expect(isOpen()).toBe(false);
  expect(await status()).toMatchObject({ isOn: false });
});

describe('the certificate', () => {
  test('that the disk does not take within a second is refused: nobody waits longer, nor does an agent that ends', async () => {
    const release = device.files.hold(CERTIFICATE);
    const refused = expect(on()).rejects.toMatchObject(
      errorWith('refused', 'certificate cannot be saved: the disk does not answer'),
    );
    await device.passed(SAVE_PATIENCE_MS);
    await refused;
    device.files.slow.delete(CERTIFICATE);
    release();
    await device.passed(10);
    expect(await on()).toMatchObject({ isOn: true, fingerprint: 'AA:1' });
  });

  test('is for the names and addresses by which the page is opened, that of its own Wi-Fi too', async () => {
    await on();
    expect(device.web.certificatesMade).toEqual([
      { commonName: 'test-product', hosts: ['gate-pi.local', 'gate-pi', '192.0.2.7', '10.42.0.1'] },
    ]);
  });

  describe('that ends soon', () => {
    beforeEach(async () => {
      await on();
      device.web.dueCertificates.add('certificate 1');
    });

    test('is renewed with its key where the page is on, for whoever comes from then on', async () => {
      expect(await on()).toMatchObject({ fingerprint: 'AA:2' });
      expect(device.web.listening).toMatchObject({ certificate: 'certificate 2' });
      expect(device.web.certificatesMade[1]).toMatchObject({ key: 'key 1' });
      expect(await device.localRequest('identity', {})).toMatchObject({ webFingerprint: 'AA:2' });
    });

    test('is told with the fingerprint of before, which a label may have', async () => {
      await on();
      expect(await device.logged('web')).toContain(
        'the page has a new certificate, SHA-256 AA:2, with the key of before; browsers warn once more. The one before, which ends soon: AA:1',
      );
    });

    test.each(['on', 'off'])(
      'stays in use where the disk does not take a new one, with the page %s',
      async (before) => {
        if (before === 'off') await off();
        device.files.failing.set(CERTIFICATE, 'ENOSPC');
        expect(await on()).toMatchObject({ isOn: true, fingerprint: 'AA:1' });
        expect(device.web.listening).toMatchObject({ certificate: 'certificate 1' });
        device.files.failing.delete(CERTIFICATE);
        expect(await on()).toMatchObject({ fingerprint: 'AA:3' });
      },
    );
  });

  test('that cannot be read any more ends no page that is on', async () => {
    await on();
    device.files.unreadable.set(CERTIFICATE, 'EIO');
    await on();
    expect(device.web.listening).toMatchObject({ certificate: 'certificate 1' });
  });

  test.each(['', '{', '{}', '{"key":"other","certificate":"x"}'])(
    'that is corrupt (%p) is kept aside, and another one made',
    async (text) => {
      device.files.texts.set(CERTIFICATE, text);
      expect(await device.localRequest('identity', {})).toMatchObject({ webFingerprint: null });
      expect(await on()).toMatchObject({ fingerprint: 'AA:1' });
      expect(device.files.texts.get(`${CERTIFICATE}.corrupt-1`)).toBe(text);
    },
  );
});

describe('the device’s own Wi-Fi', () => {
  test('comes and goes with the page; its passphrase is told once', async () => {
    const { hotspotPassphrase, hotspotSsid } = await on(MINUTE_MS, true);
    expect(hotspotPassphrase).toMatch(/^[a-z2-9]{4}-[a-z2-9]{4}-[a-z2-9]{4}$/);
    expect(device.web.hotspot).toEqual({ ssid: 'Relaygate test-product', passphrase: hotspotPassphrase });
    expect(hotspotSsid).toBe('Relaygate test-product');
    expect(await on(MINUTE_MS, true)).toMatchObject({ hotspotSsid, hotspotPassphrase: null });
    await device.passed(MINUTE_MS);
    expect(device.web.hotspot).toBeNull();
    expect(device.files.texts.has(MARK)).toBe(false);
  });

  test('that cannot be had leaves the page off', async () => {
    device.web.hasWifi = false;
    await expect(on(MINUTE_MS, true)).rejects.toMatchObject({ code: 'refused', message: 'This device has no Wi-Fi.' });
    expect(isOpen()).toBe(false);
    expect(device.files.texts.has(MARK)).toBe(false);
  });

  test('that a killed agent has left is ended by the next one', async () => {
    device.files.texts.set(MARK, '{}\n');
    device.web.hotspot = { ssid: 'left', passphrase: 'x' };
    await again();
    expect(device.web.hotspot).toBeNull();
    expect(device.files.texts.has(MARK)).toBe(false);
  });

  test('that cannot be ended is still there, is a fault, and is tried again every minute', async () => {
    const fault =
      "The page's Wi-Fi could not be ended, which is tried again every minute: There is no Wi-Fi of this device: nmcli has not answered within 20 s.";
    const french =
      'Le Wi-Fi de la page n’a pas pu être arrêté, nouvel essai chaque minute : Pas de Wi-Fi de cet appareil : nmcli n’a pas répondu en 20 s.';
    const faults = async (language = 'en') => (await device.status({ language })).faults.map(({ text }) => text);
    await on(MINUTE_MS, true);
    device.web.isWifiStuck = true;
    await off();
    expect(await status()).toMatchObject({ isOn: false, hotspotSsid: 'Relaygate test-product' });
    expect(await faults()).toContain(fault);
    expect(await faults('fr')).toContain(french);
    await device.passed(MINUTE_MS);
    expect(await faults()).toContain(fault);
    device.web.isWifiStuck = false;
    await device.passed(MINUTE_MS);
    expect(device.web.hotspot).toBeNull();
    expect(device.files.texts.has(MARK)).toBe(false);
    expect(await status()).toMatchObject({ hotspotSsid: null });
    expect(await faults()).not.toContain(fault);
  });

  test('that could not be ended is begun anew with the page, and stays', async () => {
    await on(MINUTE_MS, true);
    device.web.isWifiStuck = true;
    await off();
    const { hotspotPassphrase: passphrase } = await on(10 * MINUTE_MS, true);
    expect(device.web.hotspot).toMatchObject({ passphrase });
    device.web.isWifiStuck = false;
    await device.passed(5 * MINUTE_MS);
    expect(device.web.hotspot).toMatchObject({ passphrase });
  });

  test('that was never begun is not looked for', async () => {
    device.web.hotspot = { ssid: 'somebody else’s', passphrase: 'x' };
    await again();
    expect(device.web.hotspot).not.toBeNull();
  });
});

describe('its settings', () => {
  const board = { kind: 'gpio', lines: [26, 20, 21, 16], inputs: [{ line: 5 }, { line: 6 }] };
  const settings = (web: object, more: object = {}) =>
    parseDeviceSettings({ board, outputs: outputsWith({ 1: { feedbackInput: 1 } }), link: NO_SERVER, web, ...more });

  test.each([
    {},
    { port: 443 },
    { address: '192.0.2.7' },
    { buttonInput: 0, buttonActiveLevel: 'high' },
    { hotspotSsid: 'My gate' },
  ])('may be %j', (web) => {
    expect(settings(web)).toMatchObject({ ok: true });
  });

  test.each<[object, string]>([
    [{ port: 0 }, 'web.port'],
    [{ port: 65_536 }, 'web.port'],
    [{ address: 'gate.example' }, 'web.address'],
    [{ hotspotSsid: ' x' }, 'web.hotspotSsid'],
    [{ hotspotSsid: 'x'.repeat(33) }, 'web.hotspotSsid'],
    [{ on: true }, 'web must NOT have additional properties (on)'],
    [{ buttonInput: 2 }, 'web.buttonInput is 2, but the board has the inputs 0 to 1'],
    [{ buttonInput: 1 }, 'web.buttonInput: input 1 shows output 1 already'],
  ])('may not be %j', (web, problem) => {
    expect(settings(web)).toMatchObject({ ok: false, problem: expect.stringContaining(problem) });
  });

  test('a board without inputs has no button', () => {
    const lcus = { board: { kind: 'lcus', port: '/dev/ttyUSB0', relays: 4 }, outputs: outputsWith({}) };
    const problem = expect.stringContaining('has no inputs');
    expect(settings({ buttonInput: 0 }, lcus)).toMatchObject({ ok: false, problem });
  });
});
