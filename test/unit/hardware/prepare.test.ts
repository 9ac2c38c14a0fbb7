import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { readBoardProfiles } from '@relaygate/device-agent/cli/board-profiles';
import { type PreparePorts, type PrepareWishes, prepare } from '@relaygate/hardware/prepare';
import { systemRandomness } from '@relaygate/shared/system';

const SITE = { server: 'wss://gate.example.com', board: 'generic-active-high' };

let folder: string;
let out: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'rg-prepare-'));
  out = join(folder, 'cards');
});
afterEach(() => rmSync(folder, { recursive: true }));

const ports: PreparePorts = {
  profiles: readBoardProfiles(),
  certificateProblem: () => null,
  randomness: systemRandomness,
  hashPin: async () => new Uint8Array(32),
  progress: { style: 'lines', write: () => {}, nowMs: () => 0 },
  now: new Date(0),
  tell: () => {},
};

function wishes(more: Partial<PrepareWishes> = {}): PrepareWishes {
  return {
    site: { ...SITE, product: 'gate-1', enrolment: 'ABCD' },
    image: undefined,
    out,
    settingsOnly: true,
    batch: null,
    withPin: true,
    force: false,
    ...more,
  };
}
const batchOf = (...logins: string[]): Partial<PrepareWishes> => ({
  site: SITE,
  batch: {
    text: ['productLogin,enrolmentCode', ...logins.map((login) => `${login},AB`)].join('\n'),
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
    await expect(prepare(wishes({ ...batchOf(...logins), settingsOnly, image }), ports)).rejects.toMatchObject({
      code: 'bad-setting',
      message: expect.stringMatching(/line 3: the files of product .* would be those of line 2\. Nothing was written/),
    });
    expect(existsSync(out)).toBe(false);
  });

  test('may hold logins that are alike', async () => {
    await prepare(wishes(batchOf('gate', 'gate.img', 'gate-1')), ports);
    expect(readdirSync(out).sort()).toEqual(['gate', 'gate-1', 'gate.img']);
  });
});

const label = (): string => readFileSync(join(out, 'label.svg'), 'utf8');

test('what is done stays, and is made anew by force', async () => {
  expect(await prepare(wishes(), ports)).toMatchObject([{ wasDone: false }]);
  const before = label();
  expect(await prepare(wishes(), ports)).toMatchObject([{ wasDone: true }]);
  expect(label()).toBe(before);
  expect(await prepare(wishes({ force: true }), ports)).toMatchObject([{ wasDone: false }]);
  expect(label()).not.toBe(before);
});

test.each([
  ['enrolmentCode', { enrolment: '(kept)' }],
  ['wifi.passphrase', { ssid: 'Chez nous', country: 'FR', passphrase: '(kept)' }],
])('what another device has kept is none for a new card: %s', async (member, more) => {
  const site = { ...SITE, product: 'gate-1', enrolment: 'ABCD', ...more };
  await expect(prepare(wishes({ site }), ports)).rejects.toMatchObject({
    code: 'bad-setting',
    message: `${member} is "(kept)", which a new device does not have.`,
  });
  expect(existsSync(out)).toBe(false);
});

test('the PIN is on the label and not in what is printed', async () => {
  const printed = JSON.stringify(await prepare(wishes(), ports));
  const pin = />PIN (\d{8})</.exec(label())?.[1] ?? 'none';
  expect(pin).toMatch(/^\d{8}$/);
  expect(printed).not.toContain(pin);
  expect(printed).not.toContain('pin');
});
