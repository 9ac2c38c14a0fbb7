import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { readBoardProfiles } from '@relaygate/device-agent/relayctl/board-profiles';
import { withBoardTable, withWiring } from '../../support/device/board-wiring/documents';
import { wiringFiles } from '../../support/device/board-wiring/header-picture';
import { folderForEach } from '../../support/processes/fresh-folder';
import { ROOT } from '../../support/processes/program';

const profiles = readBoardProfiles();
const onHeader = profiles.filter((profile) => profile.kind === 'gpio');

describe('what is generated is that of the profiles: npm run generate', () => {
  test('hardware/wiring', () => {
    const folder = join(ROOT, 'hardware/wiring');
    const published = readdirSync(folder).map((name): [string, string] => [
      name,
      readFileSync(join(folder, name), 'utf8'),
    ]);
    expect(new Map(published)).toEqual(wiringFiles());
  });

  test.each([
    ['the table of boards in README.md', 'README.md', withBoardTable],
    ['the boards in WIRING.md', 'WIRING.md', withWiring],
  ])('%s', (_what, name, generated) => {
    const document = readFileSync(join(ROOT, 'hardware', name), 'utf8');
    expect(document).toBe(generated(document));
  });
});

describe('the profiles that come with the program', () => {
  // From the makers' pages, as boards.md of the project's notes has them: a change of a profile must be meant.
  test.each([
    ['waveshare-rpi-relay-board', 'low', [26, 20, 21]],
    ['waveshare-rpi-relay-board-b', 'low', [5, 6, 13, 16, 19, 20, 21, 26]],
    ['keyestudio-ks0212', 'high', [4, 22, 6, 26]],
    ['sb-components-pirelay-v2', 'high', [19, 13, 6, 5]],
    ['pimoroni-automation-hat', 'high', [13, 19, 16]],
  ])('%s closes on %s at these lines', (name, activeLevel, lines) => {
    const profile = onHeader.find((candidate) => candidate.name === name);
    expect(profile?.activeLevel).toBe(activeLevel);
    expect(profile?.relays.map(({ bcm }) => bcm)).toEqual(lines);
  });

  test('the Modbus board of Waveshare times pulses by itself', () => {
    expect(profiles.find(({ name }) => name === 'waveshare-modbus-rtu-relay-8ch')).toMatchObject({
      kind: 'modbus',
      address: 1,
      baud: 9_600,
      parity: 'none',
      flashOn: true,
      relays: Array.from({ length: 8 }, (_, n) => ({ label: `CH${n + 1}` })),
    });
  });

  test.each([1, 2, 4, 8])('the LCUS board of %i relays says what its chip is', (count) => {
    const profile = profiles.find(({ name }) => name === `lcus-${count}`);
    expect(profile).toMatchObject({ kind: 'lcus', usb: '1a86:7523' });
    expect(profile?.relays).toHaveLength(count);
  });

  test('are all here, the generic ones too', () => {
    expect(profiles.map(({ name }) => name)).toEqual(
      expect.arrayContaining(['generic-active-high', 'generic-active-low']),
    );
    expect(profiles).toHaveLength(13);
    expect(onHeader).toHaveLength(7);
  });

  test('each has a picture that marks every one of its relays', () => {
    for (const { name, relays } of onHeader) {
      const picture = wiringFiles().get(`${name}.svg`) ?? '';
      for (const { label, bcm } of relays) expect(picture).toContain(`: ${label}, BCM ${bcm}`);
    }
  });
});

describe('a profile of your own', () => {
  const GOOD = profiles[0] ?? { name: '' };
  const folder = folderForEach('rg-p-');

  test('is read from its folder', () => {
    writeFileSync(join(folder, 'mine.json'), JSON.stringify({ ...GOOD, name: 'mine' }));
    writeFileSync(join(folder, 'notes.txt'), 'not a profile');
    expect(readBoardProfiles(folder).map(({ name }) => name)).toEqual(['mine']);
  });

  test.each([
    ['no JSON', '{', /mine\.json is no board profile/],
    ['a line that the header has not', { relays: [{ label: 'A', bcm: 28 }] }, /relays\.0\.bcm must be <= 27/],
    ['a line twice', { relays: [4, 5, 4].map((bcm) => ({ label: 'A', bcm })) }, /relays name BCM 4 twice/],
    ['no source', { source: undefined }, /required property 'source'/],
    ['another name', { name: 'other' }, /its name must be "mine"/],
    ['an unknown member', { pins: [] }, /additional properties \(pins\)/],
  ])('with %s is refused with its path', (_what, change, message) => {
    const text = typeof change === 'string' ? change : JSON.stringify({ ...GOOD, name: 'mine', ...change });
    writeFileSync(join(folder, 'mine.json'), text);
    expect(() => readBoardProfiles(folder)).toThrow(message);
  });

  test('in a folder that is not there is refused', () => {
    expect(() => readBoardProfiles(join(folder, 'none'))).toThrow(/board profiles cannot be read/);
  });
});
