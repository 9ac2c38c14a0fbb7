import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from '@jest/globals';
import { deviceOfSite } from '@relaygate/device-agent/provisioning/site/site-device';
import { readSite } from '@relaygate/device-agent/provisioning/site/site-text';
import { readBoardProfiles } from '@relaygate/device-agent/relayctl/board-profiles';
import { type PrepareDeps, type PrepareRequest, prepare } from '@relaygate/hardware/prepare';
import { completeLabel } from '@relaygate/hardware/site/site-label';
import { systemRandomness } from '@relaygate/shared/system';
import { folderForEach } from '../../support/processes/fresh-folder';
import { enrolmentCode, productKey } from '../../support/server/codes';

const SITE = { server: 'wss://gate.example.com', board: 'generic-active-high' };

const folder = folderForEach('rg-prepare-');
const out = join(folder, 'cards');

const ports: PrepareDeps = {
  profiles: readBoardProfiles(),
  areProfilesOwn: false,
  certificateProblem: () => null,
  randomness: systemRandomness,
  hashPin: async () => new Uint8Array(32),
  progress: { style: 'lines', write: () => {}, nowMs: () => 0 },
  now: new Date(0),
  report: () => {},
};

function request(more: Partial<PrepareRequest> = {}): PrepareRequest {
  return {
    site: { ...SITE, product: 'gate-1', enrolment: enrolmentCode() },
    image: undefined,
    out,
    settingsOnly: true,
    batch: null,
    withPin: true,
    force: false,
    ...more,
  };
}
const batchOf = (...logins: string[]): Partial<PrepareRequest> => ({
  site: SITE,
  batch: {
    text: ['productLogin,enrolmentCode', ...logins.map((login) => `${login},${enrolmentCode()}`)].join('\n'),
    file: 'sites.csv',
  },
});

describe('a table of sites', () => {
  test.each([
    ['the folder of one is the image of another', ['gate', 'gate.img'], false],
    ['the folder of one is what another begins with', ['gate', 'gate.img.part'], false],
    ['they differ by capitals, which is nothing to Windows', ['Gate', 'gate'], false],
    ['they differ by capitals, with settings alone', ['Gate', 'gate'], true],
    ['they differ by a dot at the end', ['gate.', 'gate'], true],
    ['they are the same', ['gate', 'gate'], true],
  ])('is refused before the first write where %s', async (_what, logins, settingsOnly) => {
    const image = settingsOnly ? undefined : '/nowhere.img';
    await expect(prepare(request({ ...batchOf(...logins), settingsOnly, image }), ports)).rejects.toMatchObject({
      code: 'bad-setting',
      message: expect.stringMatching(/line 3: the files of product .* would be those of line 2\. Nothing was written/),
    });
    expect(existsSync(out)).toBe(false);
  });

  test.each([
    ['semicolons, as spreadsheets of many countries have them', ';', '\r\n'],
    ['line feeds behind a first line of Windows', ',', '\n'],
  ])('may have %s', async (_what, delimiter, end) => {
    const line = (...values: string[]): string => values.join(delimiter);
    const header = line('productLogin', 'enrolmentCode');
    const text = `${header}\r\n${line('gate-1', enrolmentCode())}${end}${line('gate-2', enrolmentCode())}${end}`;
    await prepare(request({ site: SITE, batch: { text, file: 'sites.csv' } }), ports);
    expect(readdirSync(out).sort()).toEqual(['gate-1', 'gate-2']);
  });

  test('is left where the installer stops the run, with what is done', async () => {
    const stop = new AbortController();
    const report = (text: string): void => {
      if (text.startsWith('2 of 3')) stop.abort(new Error('stopped'));
    };
    const progress = { ...ports.progress, signal: stop.signal };
    const run = prepare(request(batchOf('gate-1', 'gate-2', 'gate-3')), { ...ports, report, progress });
    await expect(run).rejects.toThrow('stopped');
    expect(readdirSync(out)).toEqual(['gate-1']);
  });

  test('may hold logins that are alike', async () => {
    await prepare(request(batchOf('gate', 'gate.img', 'gate-1')), ports);
    expect(readdirSync(out).sort()).toEqual(['gate', 'gate-1', 'gate.img']);
  });
});

describe('a board of the installer', () => {
  const given = (more: object, asked: Partial<PrepareRequest> = {}) =>
    request({ site: { server: SITE.server, product: 'gate-1', enrolment: enrolmentCode(), ...more }, ...asked });
  const boardOf = (settings: object, more: object = {}) => JSON.stringify({ settings, activeLevel: 'high', ...more });
  const GPIO = { kind: 'gpio', lines: [17, 27] };
  const RISKY = { kind: 'gpio', lines: [5, 17] };

  test.each([
    [
      'relays that a reset closes',
      { board: boardOf(RISKY) },
      /this board may close at power-on.*BCM 5.*--accept-boot-level/,
    ],
    [
      'relays that the UART may close, and that nothing can hold open',
      { board: boardOf({ ...GPIO, lines: [14] }) },
      /may close at power-on.*before the guard runs\. Use another line than BCM 14; then, .*--accept-boot-level/,
    ],
    ['the same by the level', { board: boardOf(GPIO, { activeLevel: 'low' }) }, /BCM 17.*--accept-boot-level/],
    [
      'a line that does not exist',
      { board: boardOf({ ...GPIO, lines: [17, 40] }) },
      /names line 40.*BCM numbers 0 to 27/,
    ],
    ['an input that does not exist', { board: boardOf({ ...GPIO, inputs: [{ line: 28 }] }) }, /names line 28/],
    ['a chip that nobody knows', { board: boardOf({ ...GPIO, chip: 'mcp23017' }) }, /nobody knows .*"mcp23017"/],
    ['a board that moves nothing', { board: '{"settings":{"kind":"simulated"}}' }, /simulated: no relay would move/],
    ['options that its file holds', { board: boardOf(GPIO), port: '/dev/ttyUSB0' }, /leave out --port/],
  ])('is refused before the first write: %s', async (_what, more, problem) => {
    await expect(prepare(given(more), ports)).rejects.toThrow(problem);
    expect(existsSync(out)).toBe(false);
  });

  test('is taken with the levels that its lines need before the guard runs, in the place of those of another', async () => {
    await prepare(given({ board: boardOf(RISKY), acceptBootLevel: true }), ports);
    expect(readFileSync(join(out, 'relaygate-board.txt'), 'utf8')).toContain('gpio=5=op,dl\n');
    await prepare(given({ board: '{"settings":{"kind":"simulated"}}', simulated: true }, { force: true }), ports);
    expect(readdirSync(out).sort()).toEqual(['label.svg', 'relaygate-board.txt', 'relaygate-site.json']);
    expect(readFileSync(join(out, 'relaygate-board.txt'), 'utf8')).toMatch(/^# .* It needs none\.\n$/);
  });

  test('travels with the card, whose device takes it without having its profile', async () => {
    const [profile] = readBoardProfiles().filter(({ name }) => name === 'generic-active-high');
    if (!profile) throw new Error('no such profile');
    const mine = { ...profile, name: 'mine' };
    await prepare(given({ board: 'mine' }), { ...ports, profiles: [mine], areProfilesOwn: true });
    const site = readSite(readFileSync(join(out, 'relaygate-site.json'), 'utf8'));
    const device = deviceOfSite({ site, profiles: readBoardProfiles(), before: null, caPath: '/ca.pem' });
    expect(device.board).toMatchObject({ kind: 'gpio', profile: 'mine' });
    expect(device.outputs.length).toBeGreaterThan(1);
  });
});

describe('a Wi-Fi without a passphrase', () => {
  const WIFI = { ...SITE, product: 'gate-1', enrolment: enrolmentCode(), ssid: 'Chez nous', country: 'FR' };

  test('is open because somebody said so', async () => {
    await expect(prepare(request({ site: WIFI }), ports)).rejects.toThrow(/has no passphrase.*--wifi-open/);
    const both = { ...WIFI, passphrase: 'tres secret', wifiOpen: true };
    await expect(prepare(request({ site: both }), ports)).rejects.toThrow(/not both/);
    expect(existsSync(out)).toBe(false);
    await prepare(request({ site: { ...WIFI, wifiOpen: true } }), ports);
    expect(JSON.parse(readFileSync(join(out, 'relaygate-site.json'), 'utf8')).wifi).toEqual({
      ssid: 'Chez nous',
      country: 'FR',
    });
  });

  test('may be that of one line of a table', async () => {
    const text = (word: string) =>
      `productLogin,enrolmentCode,passphrase,wifiOpen\na,${enrolmentCode(1)},tres secret,\nb,${enrolmentCode(2)},,${word}\n`;
    const { product: _, enrolment: __, ...site } = WIFI;
    const batch = (word: string) => request({ site, batch: { text: text(word), file: 'sites.csv' } });
    await expect(prepare(batch(''), ports)).rejects.toThrow(/line 3: The Wi-Fi "Chez nous" has no passphrase/);
    await expect(prepare(batch('true'), ports)).rejects.toThrow(/line 3: wifiOpen is yes or no, not "true"/);
    expect(await prepare(batch('yes'), ports)).toHaveLength(2);
  });
});

describe('keys and codes that people type', () => {
  const SWAPPED = /is the (product key|enrolment code) of a product/;
  test.each([
    ['a mistyped code', { enrolment: enrolmentCode().replace('4', '5') }, /enrolmentCode is mistyped/],
    ['a code that is cut short', { enrolment: enrolmentCode().slice(0, 20) }, /enrolmentCode has \d+ characters/],
    ['a product key for a code', { enrolment: productKey() }, /enrolmentCode is the product key of a product/],
    ['a mistyped key', { productKey: productKey().replace('4', '5') }, /productKey \(--product-key\) is mistyped/],
    ['a code for a product key', { productKey: enrolmentCode() }, SWAPPED],
  ])('are refused before the first write: %s', async (_what, more, problem) => {
    const site = { ...SITE, product: 'gate-1', enrolment: enrolmentCode(), ...more };
    await expect(prepare(request({ site }), ports)).rejects.toMatchObject({
      code: 'bad-setting',
      message: expect.stringMatching(problem),
    });
    expect(existsSync(out)).toBe(false);
  });

  test('are refused in a table whose columns were mixed up', async () => {
    const text = `productLogin,enrolmentCode,productKey\na,${productKey()},${enrolmentCode()}\n`;
    await expect(prepare(request({ site: SITE, batch: { text, file: 'sites.csv' } }), ports)).rejects.toThrow(SWAPPED);
  });

  test('may be old ones', async () => {
    const OLD = '7ZZQ-0M4R-2C9D-XKQ3-V8BN-5T1H-6G';
    await prepare(request({ site: { ...SITE, product: 'gate-1', enrolment: OLD, productKey: OLD } }), ports);
    expect(label()).toContain(`>key ${OLD}<`);
  });
});

const label = (): string => readFileSync(join(out, 'label.svg'), 'utf8');

test('what is done stays, and is made anew by force', async () => {
  expect(await prepare(request(), ports)).toMatchObject([{ wasDone: false }]);
  const before = label();
  expect(await prepare(request(), ports)).toMatchObject([{ wasDone: true }]);
  expect(label()).toBe(before);
  expect(await prepare(request({ force: true }), ports)).toMatchObject([{ wasDone: false }]);
  expect(label()).not.toBe(before);
});

test.each([
  ['enrolmentCode', { enrolment: '(kept)' }],
  ['wifi.passphrase', { ssid: 'Chez nous', country: 'FR', passphrase: '(kept)' }],
])('what another device has kept is none for a new card: %s', async (member, more) => {
  const site = { ...SITE, product: 'gate-1', enrolment: enrolmentCode(), ...more };
  await expect(prepare(request({ site }), ports)).rejects.toMatchObject({
    code: 'bad-setting',
    message: `${member} is "(kept)", which a new device does not have.`,
  });
  expect(existsSync(out)).toBe(false);
});

test('time servers are written as the device takes them', async () => {
  const site = {
    ...SITE,
    product: 'gate-1',
    enrolment: enrolmentCode(),
    timeServers: '192.168.1.1, fd00::1; time.example.com',
  };
  await prepare(request({ site }), ports);
  expect(JSON.parse(readFileSync(join(out, 'relaygate-site.json'), 'utf8'))).toMatchObject({
    timeServers: ['192.168.1.1', 'fd00::1', 'time.example.com'],
  });
});

test.each(['', 'https://time.example.com', 'a..b', '-a', '1,2,3,4,5'])(
  'a time server that is none is refused: %j',
  async (timeServers) => {
    const site = { ...SITE, product: 'gate-1', enrolment: enrolmentCode(), timeServers };
    await expect(prepare(request({ site }), ports)).rejects.toMatchObject({
      code: 'bad-setting',
      message: expect.stringMatching(/timeServers/),
    });
  },
);

test('the PIN is on the label and not in what is printed', async () => {
  const printed = JSON.stringify(await prepare(request(), ports));
  const pin = />PIN (\d{8})</.exec(label())?.[1] ?? 'none';
  expect(pin).toMatch(/^\d{8}$/);
  expect(printed).not.toContain(pin);
  expect(printed).not.toContain('pin');
});

describe('how somebody on site reaches the device', () => {
  const settings = (): Record<string, unknown> => JSON.parse(readFileSync(join(out, 'relaygate-site.json'), 'utf8'));
  const given = (more: object) =>
    request({ site: { ...SITE, product: 'gate-1', enrolment: enrolmentCode(), ...more } });

  test('is written as the device takes it', async () => {
    await prepare(given({ console: 'serial0', webButton: '24', webFor: '2h' }), ports);
    expect(settings()).toMatchObject({
      console: { port: '/dev/serial0' },
      web: { buttonLine: 24, forMinutes: 120 },
      requireProof: true,
    });
  });

  test('may differ from line to line of a table', async () => {
    const text = `productLogin,enrolmentCode,console,webFor,webButton\na,${enrolmentCode(1)},/dev/ttyGS0,,\nb,${enrolmentCode(2)},,,5\nc,${enrolmentCode(3)},,,\n`;
    await prepare(request({ site: { ...SITE, webFor: '45m' }, batch: { text, file: 'sites.csv' } }), ports);
    const siteOf = (name: string) => JSON.parse(readFileSync(join(out, name, 'relaygate-site.json'), 'utf8'));
    expect(siteOf('a')).toMatchObject({ console: { port: '/dev/ttyGS0' }, web: { forMinutes: 45 } });
    expect(siteOf('b')).toMatchObject({ web: { forMinutes: 45, buttonLine: 5 } });
    expect(siteOf('c')).not.toHaveProperty('console');
  });

  test.each([
    [{ webFor: '90s' }, /--web-for \(column webFor\) is whole minutes .* from 1m to 8h, not "90s"/],
    [{ webFor: '9h' }, /from 1m to 8h/],
    [{ webFor: 'long' }, /not "long"/],
    [{ webButton: 'GPIO24' }, /--web-button \(column webButton\) is a number such as 24.*not "GPIO24"/],
    [{ webButton: '17' }, /web\.buttonLine is 17, which is the line of output 0/],
    [{ webButton: '5000' }, /buttonLine is the line of a button to ground/],
    [{ console: '' }, /console\.port/],
    [{ console: 'a b' }, /port is the path of a serial port/],
  ])('is refused where it cannot be so: %j', async (more, problem) => {
    await expect(prepare(given(more), ports)).rejects.toMatchObject({
      code: 'bad-setting',
      message: expect.stringMatching(problem),
    });
    expect(existsSync(out)).toBe(false);
  });

  test('needs a PIN', async () => {
    await expect(prepare({ ...given({ webFor: '1h' }), withPin: false }, ports)).rejects.toMatchObject({
      code: 'bad-usage',
      message: expect.stringMatching(/leave out --no-pin/),
    });
    await prepare({ ...given({}), withPin: false }, ports);
  });

  test('is missed before an image is made whose device would refuse every command', async () => {
    const image = '/nowhere.img';
    const told = async (more: object): Promise<string[]> => {
      const lines: string[] = [];
      const report = (line: string): void => void lines.push(line);
      await prepare({ ...given(more), settingsOnly: false, image }, { ...ports, report }).catch(() => {});
      return lines;
    };
    expect(await told({})).toEqual([expect.stringMatching(/nobody can .*--web-for, --web-button or --console/)]);
    for (const more of [{ webFor: '1h' }, { console: 'serial0' }, { requireProof: false }])
      expect(await told(more)).toEqual([]);
    expect(await told({ webFor: '1h', requireProof: false })).toEqual([expect.stringMatching(/on after each start/)]);
  });
});

describe('a label of a device that has run', () => {
  const FINGERPRINT = '0123-4567-89ab-cdef';
  const status = (login: string): string =>
    `Relaygate, product ${login}\r\n\r\nLINKED to wss://h.\r\n\r\nFingerprint of this device: ${FINGERPRINT}\r\n`;
  const put = (text: string): void => writeFileSync(join(folder, 'relaygate-status.txt'), text);
  beforeEach(() => prepare(request(), ports));

  test('has its fingerprint, and the PIN that it had', async () => {
    const pin = />PIN \d{8}</.exec(label())?.[0] ?? 'none';
    put(status('gate-1'));
    expect(await completeLabel(out, folder)).toEqual({
      file: join(out, 'label.svg'),
      fingerprint: FINGERPRINT,
      webFingerprint: null,
    });
    expect(label()).toContain(`>fingerprint ${FINGERPRINT}<`);
    expect(label()).toContain(pin);
    // A copy of the file does as well, and so does a second time.
    await completeLabel(out, join(folder, 'relaygate-status.txt'));
    expect(label()).toContain(pin);
    expect(await prepare(request(), ports)).toMatchObject([{ wasDone: true }]);
  });

  test.each([
    ['the card is of another product', status('gate-2'), /label is of product gate-1, the card of gate-2/],
    ['the device has not run yet', 'Relaygate\r\n\r\nNO SETTINGS', /tells no fingerprint/],
    ['nobody has put a card in', null, /relaygate-status\.txt cannot be read/],
  ])('stays as it was where %s', async (_where, text, problem) => {
    const before = label();
    if (text !== null) put(text);
    await expect(completeLabel(out, folder)).rejects.toThrow(problem);
    expect(label()).toBe(before);
  });
});
