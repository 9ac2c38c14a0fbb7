/** relaygate-flash prepare, as an installer runs it; what it made is read by Debian's mtools. */
import { spawnSync } from 'node:child_process';
import {
  existsSync,
  readdirSync,
  readFileSync,
  rmSync,
  statfsSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { beforeEach, describe, expect, test } from '@jest/globals';
import { fatToolsMissing, fsckComplaints, makeFatImage, mdir, mtype } from '../../support/device/fat-image';
import { type Flashed, relaygateFlash } from '../../support/processes/flash';
import { folderForEach } from '../../support/processes/fresh-folder';
import { describeWhere } from '../../support/processes/needs';
import { Program, ROOT } from '../../support/processes/program';
import { enrolmentCode, productKey } from '../../support/server/codes';

const BOOT_MEBIBYTES = 40;
const SITE_FILE = 'relaygate-site.json';
const BOARD_FILE = 'relaygate-board.txt';

const folder = folderForEach('rg-flash-');

const at = (...names: string[]): string => join(folder, ...names);
const SITE = ['--server', 'wss://gate.example.com', '--board', 'generic-active-high'];
const PRODUCT = ['--product', 'gate-1', '--enrolment', enrolmentCode()];
/** Without comments. */
const linesOf = (text: string): string[] => text.split('\n').filter((line) => /^[^#]/.test(line));
const prepare = (...args: string[]): Promise<Flashed> => relaygateFlash('prepare', ...args);
const prepareOne = (...args: string[]): Promise<Flashed> =>
  prepare('--image', at('base.img'), '--out', at('gate.img'), ...SITE, ...PRODUCT, ...args);

/** One line, with its code, and nothing left of what was begun. */
function expectRefused({ code, out, err }: Flashed, exitCode: number, problem: RegExp): void {
  expect({ code, out }).toEqual({ code: exitCode, out: '' });
  expect(err.split('\n').at(-1)).toMatch(problem);
  expect(readdirSync(folder, { recursive: true }).filter((name) => /gate|\.part$|cards/.test(String(name)))).toEqual(
    [],
  );
}

describeWhere(fatToolsMissing())('preparing an image', () => {
  beforeEach(() => makeFatImage(at('base.img'), { bootMebibytes: BOOT_MEBIBYTES }));

  test('puts the settings onto the boot partition, and beside it with a label', async () => {
    writeFileSync(at('wifi.txt'), 'tres secret\n');
    writeFileSync(at('key.txt'), `${productKey()}\n`);
    const wifi = ['--wifi', 'Chez nous', '--wifi-passphrase-file', at('wifi.txt'), '--country', 'FR'];
    const { code, out, err } = await prepareOne(...wifi, '--hostname', 'gate-1', '--product-key-file', at('key.txt'));
    expect({ code, out }).toEqual({ code: 0, out: `gate-1: ${at('gate.img')} (settings and label in ${at('gate')})` });
    expect(err).toMatch(/^copying: +\d+ %, [0-9.]+ MB\/s, .* left$/m);
    expect(err).toMatch(/^reading back: done, \d+ MB in \d+s$/m);
    const text = mtype(at('gate.img'), SITE_FILE);
    expect(JSON.parse(text)).toEqual({
      serverUrl: 'wss://gate.example.com',
      productLogin: 'gate-1',
      board: { profile: 'generic-active-high' },
      requireProof: true,
      hostname: 'gate-1',
      wifi: { ssid: 'Chez nous', passphrase: 'tres secret', country: 'FR' },
      enrolmentCode: enrolmentCode(),
      pin: expect.stringMatching(/^.{8}\..{22}\..{43}$/),
    });
    expect(readFileSync(at('gate', SITE_FILE), 'utf8')).toBe(text);
    expect(readFileSync(at('gate', 'label.svg'), 'utf8')).toMatch(
      /<path d="M[^"]{1000,}".*>gate-1<.*>key P[0-9A-Z-]{33}<.*>PIN \d{8}<.*>wss:\/\/gate\.example\.com</s,
    );
    for (const file of [at('gate.img'), at('gate', SITE_FILE), at('gate', 'label.svg')])
      expect(statSync(file).mode & 0o077).toBe(0);
    expect(mdir(at('gate.img'))).toEqual([BOARD_FILE, SITE_FILE]);
    expect(fsckComplaints(at('gate.img'), at('boot'), BOOT_MEBIBYTES)).toBe('');
    expect(statSync(at('gate.img')).size).toBe(statSync(at('base.img')).size);
  });

  test('puts the levels of a board that a reset closes where config.txt includes them, and none for another', async () => {
    const risky = ['--board', 'sb-components-pirelay-v2', '--accept-boot-level'];
    expect(await prepareOne(...risky)).toMatchObject({ code: 0 });
    expect(linesOf(mtype(at('gate.img'), BOARD_FILE))).toEqual(['gpio=6=op,dl', 'gpio=5=op,dl']);
    expect(readFileSync(at('gate', BOARD_FILE), 'utf8')).toBe(mtype(at('gate.img'), BOARD_FILE));
    expect(fsckComplaints(at('gate.img'), at('boot'), BOOT_MEBIBYTES)).toBe('');
    expect(await prepareOne('--force')).toMatchObject({ code: 0 });
    expect(linesOf(mtype(at('gate.img'), BOARD_FILE))).toEqual([]);
    expect(readdirSync(at('gate')).sort()).toEqual(['label.svg', BOARD_FILE, SITE_FILE]);
  });

  test('takes an image that is packed by gzip, and says what to do about other packers', async () => {
    writeFileSync(at('base.img.gz'), gzipSync(readFileSync(at('base.img')), { level: 1 }));
    const packed = ['--image', at('base.img.gz'), '--out', at('gate.img')];
    expect(await prepare(...packed, ...SITE, ...PRODUCT)).toMatchObject({ code: 0 });
    expect(JSON.parse(mtype(at('gate.img'), SITE_FILE))).toMatchObject({ productLogin: 'gate-1' });
    rmSync(at('gate.img'));
    rmSync(at('gate'), { recursive: true });
    writeFileSync(at('base.img.xz'), Buffer.from('fd377a585a000004', 'hex'));
    const xz = await prepare('--image', at('base.img.xz'), '--out', at('gate.img'), ...SITE, ...PRODUCT);
    expectRefused(xz, 1, /image-unusable: .*packed by xz: unpack it first with "xz -dk FILE"/);
    truncateSync(at('base.img.gz'), 10_000);
    expectRefused(await prepare(...packed, ...SITE, ...PRODUCT), 1, /image-unusable: The image cannot be unpacked/);
  });

  test('what was done is not done again, and nothing else is replaced without a word', async () => {
    await prepareOne();
    const before = readFileSync(at('gate', 'label.svg'), 'utf8');
    expect(await prepareOne('--json')).toMatchObject({ code: 0, out: expect.stringContaining('"wasDone":true') });
    expect(readFileSync(at('gate', 'label.svg'), 'utf8')).toBe(before);
    expect(await prepareOne('--hostname', 'other')).toMatchObject({
      code: 1,
      err: expect.stringMatching(/^relaygate-flash: already-exists: .*gate\.img .*--force/m),
    });
    expect(JSON.parse(mtype(at('gate.img'), SITE_FILE)).hostname).toBeUndefined();
    expect(await prepareOne('--hostname', 'other', '--force')).toMatchObject({ code: 0 });
    expect(JSON.parse(mtype(at('gate.img'), SITE_FILE)).hostname).toBe('other');
  });

  test('an image beside the settings and the label of another PIN is not called done', async () => {
    await prepareOne();
    const settings = at('gate', SITE_FILE);
    writeFileSync(settings, readFileSync(settings, 'utf8').replace(/(?<="pin": ?")[^.]+/, 'otherpin'));
    expect(await prepareOne()).toMatchObject({ code: 1, err: expect.stringMatching(/already-exists/) });
    expect(await prepareOne('--force')).toMatchObject({ code: 0 });
    expect(readFileSync(settings, 'utf8')).toBe(mtype(at('gate.img'), SITE_FILE));
    // Whoever has made the card may remove them.
    rmSync(settings);
    expect(await prepareOne('--json')).toMatchObject({ code: 0, out: expect.stringContaining('"wasDone":true') });
  });

  test('an image that is cut short, and one that is none', async () => {
    truncateSync(at('base.img'), 30_000_000);
    expectRefused(await prepareOne(), 1, /image-unusable: .*cut short/);
    writeFileSync(at('base.img'), 'hello');
    expectRefused(await prepareOne(), 1, /image-unusable: .*shorter than one sector/);
    rmSync(at('base.img'));
    expectRefused(await prepareOne(), 1, /image-unusable: .*cannot be read: ENOENT/);
  });

  test('an output that is a folder, and settings whose folder is a file', async () => {
    const to = async (path: string) => prepare('--image', at('base.img'), '--out', path, ...SITE, ...PRODUCT);
    expect(await to(folder)).toMatchObject({
      code: 2,
      err: expect.stringMatching(/bad-usage: .* is a folder: name the image itself/),
    });
    writeFileSync(at('box'), '');
    expect(await to(at('box.img'))).toMatchObject({
      code: 2,
      err: expect.stringMatching(/box is a file, but settings and label/),
    });
    expect(existsSync(at('box.img'))).toBe(false);
  });

  test('images of a table that have no room together', async () => {
    const { bavail, bsize } = statfsSync(folder);
    truncateSync(at('base.img'), Math.ceil((bavail * bsize) / 3));
    const lines = [1, 2, 3, 4, 5].map((n) => `a-${n},${enrolmentCode(n)}`);
    writeFileSync(at('sites.csv'), ['productLogin,enrolmentCode', ...lines].join('\n'));
    const batch = ['--image', at('base.img'), '--out', at('cards'), '--batch', at('sites.csv'), ...SITE];
    expect(await prepare(...batch)).toMatchObject({
      code: 1,
      err: expect.stringMatching(/no-space: .*5 images take /),
    });
    expect(readdirSync(at('cards'))).toEqual([]);
  });

  test.each(['SIGINT', 'SIGTERM', 'SIGHUP'] as const)('a run that %s stops leaves nothing behind', async (signal) => {
    // Long enough for a signal to come in between.
    truncateSync(at('base.img'), 4_000_000_000);
    const args = ['prepare', '--image', at('base.img'), '--out', at('gate.img'), ...SITE, ...PRODUCT];
    const file = 'hardware/bin/relaygate-flash.js';
    const program = await Program.start({ name: 'relaygate-flash', file, args });
    await program.line(/^copying: /, 60_000);
    expect(existsSync(at('gate.img.part'))).toBe(true);
    program.kill(signal);
    const { code } = await program.ended;
    expect(code).toBe(1);
    expect(readdirSync(folder).filter((name) => name.startsWith('gate'))).toEqual([]);
  });

  test('a reader of its progress who goes away takes no image with him', async () => {
    const args = ['--image', at('base.img'), '--out', at('gate.img'), ...SITE, ...PRODUCT];
    const script = '"$@" 2>&1 | true';
    const program = [process.execPath, 'hardware/bin/relaygate-flash.js', 'prepare', ...args];
    expect(spawnSync('sh', ['-c', script, 'sh', ...program], { cwd: ROOT }).status).toBe(0);
    expect(existsSync(at('gate.img.part'))).toBe(false);
    expect(JSON.parse(mtype(at('gate.img'), SITE_FILE))).toMatchObject({ productLogin: 'gate-1' });
  });

  test('a folder without room', async () => {
    truncateSync(at('base.img'), 2 ** 43);
    expectRefused(await prepareOne(), 1, /no-space: There is too little room .*the image takes 8796\.1 GB/);
  });

  test('a hundred sites of a table: a bad line is named, and nothing is written', async () => {
    const lines = Array.from({ length: 100 }, (_, n) => `gate-${n},${productKey(n)},${enrolmentCode(n)}`);
    lines[6] = `gate 6,,${enrolmentCode()}`;
    lines[40] = `gate-3,,${enrolmentCode()}`;
    writeFileSync(at('sites.csv'), ['productLogin,productKey,enrolmentCode', ...lines].join('\n'));
    const batch = ['--image', at('base.img'), '--out', at('cards'), '--batch', at('sites.csv'), ...SITE];
    const refused = await prepare(...batch);
    expectRefused(
      refused,
      1,
      /bad-setting: .*line 8: .*productLogin .*line 42: the files of product gate-3 would be those of line 5/,
    );
    expect(refused.err).toMatch(/Nothing was written/);
  });

  test('a table that was cut short is gone on with where it ended', async () => {
    const table = `productLogin,enrolmentCode,hostname\r\na-1,${enrolmentCode(1)},\r\na-2,${enrolmentCode(2)},two\r\n`;
    writeFileSync(at('sites.csv'), `\uFEFF${table}`);
    const batch = ['--image', at('base.img'), '--out', at('cards'), '--batch', at('sites.csv'), ...SITE];
    writeFileSync(at('cards'), 'in the way');
    expect(await prepare(...batch)).toMatchObject({ code: 1 });
    rmSync(at('cards'));
    expect(await prepare(...batch)).toMatchObject({ code: 0 });
    const label = readFileSync(at('cards', 'a-1', 'label.svg'), 'utf8');
    rmSync(at('cards', 'a-2.img'));
    const again = await prepare(...batch, '--json');
    expect(JSON.parse(again.out)).toMatchObject([
      { product: 'a-1', wasDone: true },
      { product: 'a-2', wasDone: false },
    ]);
    expect(readFileSync(at('cards', 'a-1', 'label.svg'), 'utf8')).toBe(label);
    expect(JSON.parse(mtype(at('cards', 'a-2.img'), SITE_FILE))).toMatchObject({
      hostname: 'two',
      enrolmentCode: enrolmentCode(2),
    });
  });
});

describe('wrong settings are named before anything is read or written', () => {
  const alone = (...args: string[]): Promise<Flashed> => prepare('--settings-only', '--out', at('gate'), ...args);
  test.each([
    [
      'a server without wss',
      [...PRODUCT, '--server', 'gate.example.com', '--board', 'lcus-1'],
      1,
      /serverUrl is "wss:/,
    ],
    ['a server with a path', [...PRODUCT, '--server', 'wss://h/x', '--board', 'lcus-1'], 1, /without user, path/],
    [
      'an unknown board',
      [...PRODUCT, '--server', 'wss://h', '--board', 'nope'],
      1,
      /"nope" is none of the boards: gen/,
    ],
    ['a serial board', [...PRODUCT, '--server', 'wss://h', '--board', 'lcus-1'], 1, /board\.port is missing/],
    ['a board at risk', [...PRODUCT, '--server', 'wss://h', '--board', 'keyestudio-ks0212'], 1, /--accept-boot-level/],
    [
      'no product',
      ['--server', 'wss://h', '--board', 'lcus-1', '--enrolment', enrolmentCode()],
      2,
      /bad-usage: --product .*missing/,
    ],
    ['no code', ['--server', 'wss://h', '--board', 'lcus-1', '--product', 'a'], 2, /bad-usage: --enrolment .*missing/],
    ['Wi-Fi without country', [...SITE, ...PRODUCT, '--wifi', 'x'], 2, /bad-usage: Wi-Fi needs the country/],
    ['a missing file', [...SITE, ...PRODUCT, '--ca', '/nowhere'], 2, /bad-usage: \/nowhere cannot be read/],
    [
      'a missing file whose name turns the writing around',
      [...SITE, ...PRODUCT, '--ca', '/no\u202ewhere\u009b'],
      2,
      /bad-usage: \/no\\u202ewhere\\u009b cannot be read/,
    ],
    ['an unknown option', [...SITE, ...PRODUCT, '--nope'], 2, /unknown option '--nope'/],
  ])('%s', async (_what, args, exitCode, problem) => {
    expectRefused(await alone(...args), exitCode, problem);
  });

  test('an output whose name would read as another one', async () => {
    writeFileSync(at('outputs.json'), JSON.stringify([{ name: 'kr\u202eow' }]));
    const refused = await alone(...SITE, ...PRODUCT, '--outputs-file', at('outputs.json'));
    expectRefused(refused, 1, /outputs\.0\.name/);
    expect(refused.err).not.toContain('\u202e');
  });

  test('inputs that the board does not have', async () => {
    writeFileSync(at('inputs.json'), JSON.stringify([{ kind: 'contact', numInput: 0, name: 'Gate closed' }]));
    const refused = await alone(...SITE, ...PRODUCT, '--inputs-file', at('inputs.json'));
    expectRefused(refused, 1, /inputs\.0\.numInput is 0, but the board has no inputs/);
  });

  test('a table with an unknown column, a broken quotation, or nothing in it', async () => {
    const table = (text: string): Promise<Flashed> => {
      writeFileSync(at('sites.csv'), text);
      return prepare('--settings-only', '--out', at('cards'), '--batch', at('sites.csv'), ...SITE);
    };
    expectRefused(
      await table('productLogin,enrolment\n'),
      1,
      /line 1: there is no column "enrolment"; there are product/,
    );
    expectRefused(await table(`productLogin,enrolmentCode\na,${enrolmentCode()}\n"b,C\n`), 1, /sites\.csv: line \d: /);
    expectRefused(await table(`productLogin,enrolmentCode\na,${enrolmentCode()}\nb\n`), 1, /sites\.csv: line 3: /);
    expectRefused(await table('productLogin,enrolmentCode\n'), 1, /names no sites/);
  });
});

test('the settings alone, for any card', async () => {
  const args = ['prepare', '--settings-only', '--out', at('gate'), ...SITE, ...PRODUCT, '--no-pin', '--json'];
  const { code, out } = await relaygateFlash(...args);
  expect(code).toBe(0);
  expect(JSON.parse(out)).toEqual([{ product: 'gate-1', image: null, folder: at('gate'), wasDone: false }]);
  expect(JSON.parse(readFileSync(at('gate', SITE_FILE), 'utf8'))).not.toHaveProperty('pin');
  expect(existsSync(at('gate', 'label.svg'))).toBe(true);
  // As a run leaves it that was cut short behind the settings.
  rmSync(at('gate', 'label.svg'));
  expect(JSON.parse((await relaygateFlash(...args)).out)).toMatchObject([{ wasDone: false }]);
  expect(existsSync(at('gate', 'label.svg'))).toBe(true);
  expect(JSON.parse((await relaygateFlash(...args)).out)).toMatchObject([{ wasDone: true }]);
});

test('whoever proves the wiring otherwise says so, and the device will need no proof', async () => {
  const { code } = await prepare('--settings-only', '--out', at('gate'), ...SITE, ...PRODUCT, '--no-proof');
  expect(code).toBe(0);
  expect(JSON.parse(readFileSync(at('gate', SITE_FILE), 'utf8')).requireProof).toBe(false);
});
