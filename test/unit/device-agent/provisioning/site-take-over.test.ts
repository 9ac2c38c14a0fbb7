import { beforeEach, describe, expect, test } from '@jest/globals';
import { CrashingFiles } from '../../../support/device/crashing-files';
import { errorWith } from '../../../support/device/error-with';
import { MemoryFiles } from '../../../support/device/memory-files';
import { BOOT, DATA, SECRETS, SITE, takeOverOf } from '../../../support/device/site-in-memory';
import { enrolmentCode } from '../../../support/server/codes';
import { settled } from '../../../support/time/virtual-clock';

const SITE_PATH = `${BOOT}/relaygate-site.json`;
const WIFI_PATH = `${DATA}/wifi.nmconnection`;

let files: MemoryFiles;
beforeEach(() => {
  files = new MemoryFiles();
});

const put = (site: object): void => void files.texts.set(SITE_PATH, JSON.stringify(site));
const text = (name: string): string | undefined => files.texts.get(`${DATA}/${name}`);
const settings = () => JSON.parse(text('settings.json') ?? '');
const take = (): Promise<boolean> => takeOverOf(files).takeOver();
/** The rest of a site's file, without its secrets. */
const siteRest = () => JSON.parse(files.texts.get(SITE_PATH) ?? '');
const takeOver = (site: object): Promise<boolean> => {
  put(site);
  return take();
};
const everything = (): [string, string][] => [...files.texts].sort();

/** All that a device is after SITE was taken over. */
function expectTaken(): void {
  expect(settings()).toEqual({
    board: { kind: 'gpio', profile: 'two-relays', lines: [17, 27] },
    outputs: [
      { name: 'Gate', mode: 'impulse', pulseMs: 700, activeLevel: 'high', powerOn: 'off' },
      { name: 'IN27', mode: 'impulse', pulseMs: 500, activeLevel: 'high', powerOn: 'off' },
    ],
    link: {
      serverUrl: SITE.serverUrl,
      serverName: 'relaygate',
      serverCaFile: `${DATA}/server-ca.pem`,
      productLogin: 'gate-1',
    },
    requireProof: true,
  });
  expect(text('enrolment-code')).toBe(`${enrolmentCode()}\n`);
  expect(text('server-ca.pem')).toBe(SITE.caCertificate);
  expect(JSON.parse(text('pin.json') ?? '')).toEqual({ id: 'iiiiiiii', salt: 's'.repeat(22), hash: 'h'.repeat(43) });
  expect(files.texts.get(WIFI_PATH)).toContain('psk=tres\\ssecret');
  const left = files.texts.get(SITE_PATH) ?? '';
  for (const secret of SECRETS) expect(left).not.toContain(secret);
  expect(JSON.parse(left)).toMatchObject({ productLogin: 'gate-1', enrolmentCode: '(kept)', pin: '(kept)' });
}

describe('taking a site over', () => {
  test('stores all of it, and leaves no secret on the boot partition', async () => {
    expect(await takeOver(SITE)).toBe(true);
    expectTaken();
  });

  test('leaves a file that is put there meanwhile, and takes it over at the next start', async () => {
    put(SITE);
    const answer = files.hold(`${DATA}/settings.json.new`);
    const taken = take();
    await settled();
    put({ ...SITE, productLogin: 'gate-2' });
    answer();
    expect(await taken).toBe(true);
    expect(files.texts.get(SITE_PATH)).toBe(JSON.stringify({ ...SITE, productLogin: 'gate-2' }));
    expect(JSON.parse(text('settings.json') ?? '')).toMatchObject({ link: { productLogin: 'gate-1' } });
    expect(await take()).toBe(true);
    expect(JSON.parse(text('settings.json') ?? '')).toMatchObject({ link: { productLogin: 'gate-2' } });
    for (const secret of SECRETS) expect(files.texts.get(SITE_PATH)).not.toContain(secret);
  });

  test('knows what the firmware closes at power-on for the board of before', async () => {
    const closings = () => takeOverOf(files).closings();
    files.texts.set(`${BOOT}/relaygate-board.txt`, 'gpio=5=op,dh\ngpio=17=op,dl\ngpio=27=op,dh\n');
    expect(await closings()).toEqual([]);
    await takeOver(SITE);
    expect(await closings()).toEqual([{ bcm: 27, level: 'high', configLine: 'gpio=27=op,dh' }]);
    files.texts.delete(`${BOOT}/relaygate-board.txt`);
    expect(await closings()).toEqual([]);
  });

  test('is not undone by a name that was allowed then: the machine keeps its name, its network and its time', async () => {
    const site = { ...SITE, hostname: 'gate', outputs: [{ name: 'Gate' }] };
    await takeOver(site);
    files.texts.set(`${DATA}/site.json`, (text('site.json') ?? '').replaceAll('"Gate\\"', '"   \\"'));
    expect(text('site.json')).toContain('"   \\"');
    expect(await takeOverOf(files).site()).toMatchObject({ hostname: 'gate', wifi: { country: 'FR' } });
  });

  test('leaves out the blanks around a name, and refuses one that shows nothing', async () => {
    expect(await takeOver({ ...SITE, outputs: [{ name: ' Gate\u00a0' }] })).toBe(true);
    expect(settings().outputs[0].name).toBe('Gate');
    const before = text('settings.json');
    put({ ...SITE, outputs: [{ name: '   ' }] });
    await take().catch(() => {});
    expect(text('settings.json')).toBe(before);
    expect(files.texts.get(SITE_PATH)).toContain('"   "');
  });

  test('without a file does nothing', async () => {
    expect(await take()).toBe(false);
    expect(files.log).toEqual([]);
  });

  test('once is enough: at the next start nothing is written', async () => {
    await takeOver(SITE);
    files.log.length = 0;
    expect(await take()).toBe(false);
    expect(files.log).toEqual([]);
    expectTaken();
  });

  test('makes secrets readable for their owner only', async () => {
    const modes = new Map<string, number | undefined>();
    const replace = files.replace.bind(files);
    files.replace = (path, content, options?: { mode?: number }) => {
      modes.set(path, options?.mode);
      return replace(path, content);
    };
    await takeOver(SITE);
    for (const path of [`${DATA}/enrolment-code`, `${DATA}/pin.json`, WIFI_PATH]) expect(modes.get(path)).toBe(0o600);
  });

  /** With a program that dies before this step, and nothing else that goes; null: it was through before. */
  async function cutShort(step: number): Promise<CrashingFiles | null> {
    files = new MemoryFiles();
    put(SITE);
    const crashing = new CrashingFiles(files, step);
    const ran = takeOverOf(crashing).takeOver();
    for (let turn = 0; turn < 50 && !crashing.isDead; turn += 1) await settled();
    if (crashing.isDead) return crashing;
    await ran;
    return null;
  }

  test('cut short at any step ends the same when it is begun again, and no secret is wiped before it is stored', async () => {
    let step = 0;
    for (; ; step += 1) {
      const crashing = await cutShort(step);
      if (crashing === null) break;
      crashing.cutPower();
      // What is not stored is still on the boot partition.
      const isWhole = files.texts.get(SITE_PATH) === JSON.stringify(SITE);
      expect(isWhole || text('settings.json') !== undefined).toBe(true);
      await take();
      expectTaken();
    }
    // Seven files, two of them twice, each with three ways to die.
    expect(step).toBeGreaterThanOrEqual(21);
  });

  test('cut short by the death of its program alone makes durable what it finds before it wipes a secret', async () => {
    const found = new Set<string>();
    for (let step = 0; ; step += 1) {
      const crashing = await cutShort(step);
      if (crashing === null) break;
      const { shownOnly } = crashing;
      if (shownOnly === null) continue;
      files.log.length = 0;
      const { replace } = files;
      files.replace = (path, ...more) => {
        if (path === SITE_PATH) {
          found.add(shownOnly);
          expect([...files.synced, ...files.log.map((line) => line.replace('replace ', ''))]).toContain(shownOnly);
        }
        return replace.call(files, path, ...more);
      };
      await take();
      expectTaken();
    }
    expect(found).toContain(`${DATA}/site.json`);
    expect(found).toContain(WIFI_PATH);
  });

  test('takes a new file for the old one, and what it does not name stays', async () => {
    await takeOver(SITE);
    expect(await takeOver({ ...siteRest(), outputs: [{}, { name: 'Door', mode: 'on-off' }] })).toBe(true);
    expect(settings().outputs).toMatchObject([
      { name: 'Gate', pulseMs: 700 },
      { name: 'Door', mode: 'on-off' },
    ]);
    expect(text('enrolment-code')).toBe(`${enrolmentCode()}\n`);
    expect(files.texts.get(WIFI_PATH)).toContain('psk=tres\\ssecret');
  });

  test('a new device refuses remote commands until its wiring is proven, unless its site says otherwise', async () => {
    for (const requireProof of [undefined, true, false]) {
      files = new MemoryFiles();
      await takeOver({ ...SITE, requireProof });
      expect(settings().requireProof).toBe(requireProof ?? true);
    }
  });

  test('a device that works without a proof goes on so, until its site asks for one', async () => {
    await takeOver(SITE);
    const { requireProof: _, ...before } = settings();
    files.texts.set(`${DATA}/settings.json`, JSON.stringify(before));
    const rest = siteRest();
    expect(await takeOver({ ...rest, outputs: [{ name: 'Door' }] })).toBe(true);
    expect(settings()).not.toHaveProperty('requireProof');
    expect(await takeOver({ ...rest, requireProof: true })).toBe(true);
    expect(settings().requireProof).toBe(true);
  });

  test('takes a corrected passphrase from the file that it has left', async () => {
    await takeOver(SITE);
    const rest = siteRest();
    expect(await takeOver({ ...rest, wifi: { ...rest.wifi, passphrase: 'the right one' } })).toBe(true);
    expect(files.texts.get(WIFI_PATH)).toContain('psk=the\\sright\\sone');
    expect(files.texts.get(SITE_PATH)).not.toContain('the right one');
  });

  describe('of a Wi-Fi whose passphrase stays "(kept)"', () => {
    const bytesOf = (ssid: string): string => `ssid=${[...Buffer.from(ssid)].map((byte) => `${byte};`).join('')}\n`;

    test.each([
      ['a corrected name', { ssid: 'Chez vous' }, bytesOf('Chez vous')],
      ['a name that is hidden', { hidden: true }, 'hidden=true\n'],
    ])('takes %s, with the passphrase that the device has', async (_what, edited, line) => {
      await takeOver({ ...SITE, wifi: { ...SITE.wifi, passphrase: ' a\\b c psk=' } });
      const rest = siteRest();
      expect(await takeOver({ ...rest, wifi: { ...rest.wifi, ...edited } })).toBe(true);
      expect(files.texts.get(WIFI_PATH)).toContain(line);
      expect(files.texts.get(WIFI_PATH)).toContain('\npsk=\\sa\\\\b\\sc\\spsk=\n');
      expect(files.texts.get(WIFI_PATH)).not.toContain('(kept)');
      expect(await takeOverOf(files).site()).toMatchObject({ wifi: { ...edited, passphrase: '(kept)' } });
    });

    test('takes it also if it was cut short', async () => {
      await takeOver(SITE);
      const rest = siteRest();
      put({ ...rest, wifi: { ...rest.wifi, ssid: 'Chez vous' } });
      const { texts } = files;
      for (let step = 0; ; step += 1) {
        files = new MemoryFiles();
        for (const [path, content] of texts) files.texts.set(path, content);
        const crashing = new CrashingFiles(files, step);
        const ran = takeOverOf(crashing).takeOver();
        for (let turn = 0; turn < 50 && !crashing.isDead; turn += 1) await settled();
        if (!crashing.isDead) {
          await ran;
          expect(step).toBeGreaterThan(3);
          break;
        }
        crashing.cutPower();
        await take();
        expect(files.texts.get(WIFI_PATH)).toContain(bytesOf('Chez vous'));
        expect(files.texts.get(WIFI_PATH)).toContain('\npsk=tres\\ssecret\n');
      }
    });

    test('takes an open network in its place, which then has no passphrase that could stay', async () => {
      await takeOver(SITE);
      const rest = siteRest();
      const { passphrase: _, ...open } = rest.wifi;
      expect(await takeOver({ ...rest, wifi: open })).toBe(true);
      expect(files.texts.get(WIFI_PATH)).not.toContain('psk=');
      put(rest);
      const before = everything();
      await expect(take()).rejects.toMatchObject(errorWith('bad-setting', /wifi\.passphrase is "\(kept\)"/));
      expect(everything()).toEqual(before);
    });
  });

  test('a site without Wi-Fi has no connection of ours', async () => {
    await takeOver(SITE);
    const { wifi: _, ...wired } = SITE;
    await takeOver(wired);
    expect(files.texts.has(WIFI_PATH)).toBe(false);
  });
});

describe('after a wiping that a power cut has interrupted', () => {
  const SECTOR_BYTES = 512;
  /** Longer than its rest, or shorter, and of several sectors. */
  const LONG = { ...SITE, caCertificate: SITE.caCertificate.replace('AAAA', 'A'.repeat(1000)) };
  const texts: [string, string][] = [
    ['a file as somebody has indented it', JSON.stringify(LONG, null, 4)],
    ['a file without a blank', JSON.stringify(LONG)],
  ];

  /** Taken over, its secrets still on the boot partition. Returns the rest that was not written. */
  async function interrupted(original: string): Promise<string> {
    files.texts.set(SITE_PATH, original);
    files.failing.set(SITE_PATH, 'EIO');
    await expect(take()).rejects.toThrow('EIO');
    files.failing.clear();
    expect(files.texts.get(SITE_PATH)).toBe(original);
    return String(JSON.parse(text('site.json') ?? '').rest).padEnd(original.length);
  }

  test.each(texts)('%s is wiped, however far the wiping has come', async (_what, original) => {
    const sectors = Math.ceil(original.length / SECTOR_BYTES);
    expect(sectors).toBeGreaterThan(2);
    for (let wiped = 0; wiped < 2 ** sectors; wiped += 1) {
      files = new MemoryFiles();
      const rest = await interrupted(original);
      const mixture = Array.from({ length: sectors }, (_, n) =>
        (wiped & (1 << n) ? rest : original).slice(n * SECTOR_BYTES, Math.min((n + 1) * SECTOR_BYTES, original.length)),
      ).join('');
      files.texts.set(SITE_PATH, mixture);
      expect(await take()).toBe(false);
      expect(files.texts.get(SITE_PATH)?.trimEnd()).toBe(rest.trimEnd());
      expect(await take()).toBe(false);
    }
  });

  test('the record of it holds no secret', async () => {
    await interrupted(JSON.stringify(LONG));
    for (const secret of SECRETS) expect(text('site.json')).not.toContain(secret);
  });

  test.each(texts)(
    '%s that was corrected since is a new one, also where it is as long as before',
    async (_what, original) => {
      await interrupted(original);
      files.texts.set(SITE_PATH, original.replace('tres secret', 'tres secrut'));
      expect(await take()).toBe(true);
      expect(files.texts.get(WIFI_PATH)).toContain('psk=tres\\ssecrut');
      expect(files.texts.get(SITE_PATH)).not.toContain('tres secrut');
    },
  );

  test("another product's file is taken over and not overwritten by the old one's rest", async () => {
    await interrupted(JSON.stringify(LONG));
    expect(await takeOver({ ...LONG, productLogin: 'gate-2', enrolmentCode: enrolmentCode(2) })).toBe(true);
    expect(text('enrolment-code')).toBe(`${enrolmentCode(2)}\n`);
    expect(siteRest()).toMatchObject({ productLogin: 'gate-2' });
  });

  test.each(['', '{', '{"serverUrl": 1}'])('a wrong one (%p) stays and is told', async (wrong) => {
    await interrupted(JSON.stringify(LONG));
    files.texts.set(SITE_PATH, wrong);
    await expect(take()).rejects.toMatchObject({ code: 'bad-setting' });
    expect(files.texts.get(SITE_PATH)).toBe(wrong);
  });
});

describe('a file that is wrong changes nothing', () => {
  const { enrolmentCode: _, ...withoutCode } = SITE;
  test.each([
    ['is no JSON', '{"serverUrl": "wss://x",\n "productLogin": secret}', /not JSON/],
    ['lacks a member', JSON.stringify({ productLogin: 'x' }), /required property 'serverUrl'; serverUrl is "wss:/],
    ['has one too many', JSON.stringify({ ...SITE, wify: 1 }), /additional properties \(wify\)/],
    ['has a wrong server', JSON.stringify({ ...SITE, serverUrl: 'wss://h/path' }), /serverUrl is "wss:\/\/host"/],
    ['has a plain server', JSON.stringify({ ...SITE, serverUrl: 'ws://h' }), /serverUrl must be wss/],
    ['has an unknown board', JSON.stringify({ ...SITE, board: { profile: 'x' } }), /"x" is none .*two-relays, risky/],
    ['has no board', JSON.stringify({ ...SITE, board: {} }), /either profile or settings/],
    ['has a serial board without port', JSON.stringify({ ...SITE, board: { profile: 'on-usb' } }), /board\.port/],
    ['has a board at risk', JSON.stringify({ ...SITE, board: { profile: 'risky' } }), /may close at power-on/],
    ['has too many outputs', JSON.stringify({ ...SITE, outputs: [{}, {}, {}] }), /outputs are 3, .* 2 relays/],
    ['has a wrong pulse', JSON.stringify({ ...SITE, outputs: [{ pulseMs: 1 }] }), /outputs\.0\.pulseMs .*whole number/],
    ['has a wrong country', JSON.stringify({ ...SITE, wifi: { ...SITE.wifi, country: 'fr' } }), /two capital letters/],
    ['has a short passphrase', JSON.stringify({ ...SITE, wifi: { ...SITE.wifi, passphrase: 'x' } }), /8 to 63/],
    ['has no time servers', JSON.stringify({ ...SITE, timeServers: [] }), /timeServers is a list of 1 to 4 names/],
    ['has a time server of two lines', JSON.stringify({ ...SITE, timeServers: ['a\nb'] }), /timeServers/],
    ['has a time server of two words', JSON.stringify({ ...SITE, timeServers: ['a b'] }), /timeServers/],
    ['has no certificate', JSON.stringify({ ...SITE, caCertificate: 'x' }), /caCertificate .*PEM/],
    [
      'has a certificate nobody can read',
      JSON.stringify({ ...SITE, caCertificate: SITE.caCertificate.replace('AAAA', 'BAD=') }),
      /caCertificate is no certificate/,
    ],
    ['has no code for a new device', JSON.stringify(withoutCode), /enrolmentCode is missing/],
    ['has a code that nobody has kept', JSON.stringify({ ...SITE, enrolmentCode: '(kept)' }), /does not have it/],
    ['has a PIN that nobody has kept', JSON.stringify({ ...SITE, pin: '(kept)' }), /pin is "\(kept\)"/],
    ['is too large', ' '.repeat(70_000), /larger than 64 KiB/],
  ])('%s', async (_what, content, problem) => {
    files.texts.set(SITE_PATH, content);
    const before = everything();
    await expect(take()).rejects.toMatchObject(errorWith('bad-setting', problem));
    expect(everything()).toEqual(before);
    expect(await takeOverOf(files).problem()).toMatch(problem);
  });

  test('and the settings of before stay in force', async () => {
    await takeOver(SITE);
    files.texts.set(SITE_PATH, '{');
    const before = everything();
    await expect(take()).rejects.toThrow(/relaygate-site\.json/);
    expect(everything()).toEqual(before);
  });

  test.each([
    ['no JSON', '{"board": {"kind"', 'file-corrupt', /settings\.json is not JSON/],
    [
      'settings that this program does not know',
      '{"board": {"kind": "other"}}',
      'bad-setting',
      /settings\.json: .*Mend it/,
    ],
  ])('a device whose settings are %s is not taken for a new one', async (_what, left, code, problem) => {
    await takeOver(SITE);
    put({ ...SITE, productLogin: 'gate-2', enrolmentCode: enrolmentCode(2) });
    files.texts.set(`${DATA}/settings.json`, left);
    const before = everything();
    await expect(take()).rejects.toMatchObject({ code, message: expect.stringMatching(problem) });
    await expect(take()).rejects.toThrow(/^relaygate-site\.json is not taken over: /);
    expect(everything()).toEqual(before);
    expect(await takeOverOf(files).problem()).toMatch(problem);
    expect(await takeOverOf(files).ownSettings()).toEqual({ isThere: true, problem: expect.stringMatching(problem) });
  });

  test('nor is one whose settings the card does not give', async () => {
    await takeOver(SITE);
    put({ ...SITE, productLogin: 'gate-2', enrolmentCode: enrolmentCode(2) });
    files.unreadable.set(`${DATA}/settings.json`, 'EIO: i/o error, read');
    const before = everything();
    const problem = `${DATA}/settings.json cannot be read: EIO: i/o error, read.`;
    await expect(take()).rejects.toThrow(`relaygate-site.json is not taken over: ${problem}`);
    expect(everything()).toEqual(before);
    expect(await takeOverOf(files).ownSettings()).toEqual({ isThere: true, problem });
  });

  test('and no secret of it is said', async () => {
    files.texts.set(SITE_PATH, '{"enrolmentCode": "ABCD", "wifi": {"passphrase": topsecret}}');
    await expect(take()).rejects.not.toThrow(/topsecret|ABCD/);
  });
});

test('secrets that wait for their wiping are wiped after a start without the boot partition too, and not taken over again', async () => {
  files.failing.set(SITE_PATH, 'EIO');
  await expect(takeOver(SITE)).rejects.toThrow('EIO');
  files.failing.clear();
  files.texts.delete(SITE_PATH);
  expect(await take()).toBe(false);
  put(SITE);
  expect(await take()).toBe(false);
  expectTaken();
});

test('a disk that is full leaves the secrets where they are', async () => {
  put(SITE);
  files.failing.set(`${DATA}/settings.json`, 'ENOSPC');
  await expect(take()).rejects.toThrow('ENOSPC');
  expect(files.texts.get(SITE_PATH)).toBe(JSON.stringify(SITE));
  files.failing.clear();
  await take();
  expectTaken();
});

describe('a disk that is full changes nothing of what the device has', () => {
  const OTHER = { ...SITE, wifi: { ...SITE.wifi, passphrase: 'another one' }, productLogin: 'gate-2' };
  const written = ['settings.json', 'enrolment-code', 'pin.json', 'server-ca-2.pem', 'wifi.nmconnection', 'site.json'];
  test.each(written)('whichever file finds no room: %s', async (name) => {
    await takeOver(SITE);
    put({
      ...OTHER,
      caCertificate: SITE.caCertificate.replace('AAAA', 'BBBB'),
      enrolmentCode: enrolmentCode(3),
      pin: SITE.pin.replaceAll('h', 'x'),
    });
    const before = everything();
    files.failing.set(`${DATA}/${name}.new`, 'ENOSPC');
    await expect(take()).rejects.toThrow('ENOSPC');
    expect(everything()).toEqual(before);
    files.failing.clear();
    expect(await take()).toBe(true);
    expect(text('enrolment-code')).toBe(`${enrolmentCode(3)}\n`);
    expect([...files.texts.keys()].filter((path) => path.endsWith('.new'))).toEqual([]);
  });
});

test('a new authority has a file of its own, so that it changes with the settings that name it', async () => {
  const caOf = (body: string): string => SITE.caCertificate.replace('AAAA', body);
  const inForce = (): unknown => settings().link.serverCaFile;
  for (const [body, name] of [
    ['AAAA', 'server-ca.pem'],
    ['BBBB', 'server-ca-2.pem'],
    ['CCCC', 'server-ca.pem'],
  ] as const) {
    for (const hostname of ['one', 'two']) {
      expect(await takeOver({ ...SITE, hostname, caCertificate: caOf(body) })).toBe(true);
      expect(inForce()).toBe(`${DATA}/${name}`);
      expect(text(name)).toBe(caOf(body));
    }
  }
});

test('a byte order mark before the file, as an editor puts it, does no harm', async () => {
  files.texts.set(SITE_PATH, `\uFEFF${JSON.stringify(SITE)}`);
  await take();
  expectTaken();
});

test('a board with settings of its own needs no profile', async () => {
  const board = { settings: { kind: 'gpio', lines: [5, 6, 7] }, activeLevel: 'low' };
  await takeOver({ ...SITE, board });
  expect(settings()).toMatchObject({
    board: board.settings,
    outputs: [{ activeLevel: 'low' }, { name: 'Relay 2' }, { name: 'Relay 3' }],
  });
});
