/** A file that is edited on a device whose wiring was corrected, or whose settings somebody has changed, since it was taken over. */
import { beforeEach, describe, expect, test } from '@jest/globals';
import { MemoryFiles } from '../../../support/device/memory-files';
import { DATA, SITE, settingsOf } from '../../../support/device/site-in-memory';

const SETTINGS = `${DATA}/settings.json`;
const RECORD = `${DATA}/site.json`;
const TWO_LINES = { settings: { kind: 'gpio', lines: [17, 27] }, activeLevel: 'high' };
const WITH_INPUT = { ...TWO_LINES, settings: { ...TWO_LINES.settings, inputs: [{ line: 23 }] } };
const USB = { kind: 'lcus', profile: 'on-usb', port: '/dev/ttyUSB0', relays: 1 };

interface Device {
  board: { lines: number[]; inputs?: object[] };
  outputs: { activeLevel: string }[];
}

let files: MemoryFiles;
beforeEach(() => {
  files = new MemoryFiles();
});

const take = (site: object) => settingsOf(files, site);
const change = (by: (before: Device) => object): void =>
  void files.texts.set(SETTINGS, JSON.stringify(by(JSON.parse(files.texts.get(SETTINGS) ?? ''))));

/** What a proof writes that has found both lines exchanged and each relay inverted. */
function correct(): void {
  change((before) => ({
    ...before,
    board: { ...before.board, lines: [...before.board.lines].reverse() },
    outputs: before.outputs.map((output) => ({ ...output, activeLevel: 'low' })),
  }));
}

/** A member of the record that the next start finds. */
function changeRecord(by: (record: { rest: string }) => object): void {
  files.texts.set(RECORD, JSON.stringify(by(JSON.parse(files.texts.get(RECORD) ?? ''))));
}

const PROVEN = { board: { lines: [27, 17] }, outputs: [{ activeLevel: 'low' }, { activeLevel: 'low' }] };
const AS_NAMED = { board: { lines: [17, 27] }, outputs: [{ activeLevel: 'high' }, { activeLevel: 'high' }] };
const wifi = { ...SITE.wifi, passphrase: 'another one' };
const OWN_PROFILE = {
  name: 'of-the-card',
  title: 'x',
  source: 'x',
  verified: true,
  notes: [],
  kind: 'gpio',
  activeLevel: 'high',
  relays: [17, 27].map((bcm) => ({ label: `IN${bcm}`, bcm })),
};
const OF_THE_CARD = { profile: 'of-the-card', ownProfile: OWN_PROFILE };

describe('lines and polarity that a proof has corrected stay', () => {
  test.each([
    ['a board by its profile', { profile: 'two-relays' }],
    ['a board whose profile came with the card', OF_THE_CARD],
    ['a board of its own', TWO_LINES],
  ])('where the Wi-Fi is edited: %s', async (_what, board) => {
    expect(await take({ ...SITE, board })).toMatchObject(AS_NAMED);
    correct();
    expect(await take({ ...SITE, board, wifi })).toMatchObject(PROVEN);
  });

  test('where the file becomes that of another product: the relays are the same', async () => {
    await take(SITE);
    correct();
    const site = { ...SITE, serverUrl: 'wss://other.example.com', productLogin: 'gate-2' };
    expect(await take(site)).toMatchObject({ ...PROVEN, link: { productLogin: 'gate-2' } });
  });

  test.each([
    ['an accepted boot level', { ...TWO_LINES, acceptBootLevel: true }],
    ['an input', WITH_INPUT],
    ['a driver', { ...TWO_LINES, settings: { ...TWO_LINES.settings, kind: 'gpio-sysfs' } }],
  ])('where something else of the board is edited: %s', async (_what, board) => {
    await take({ ...SITE, board: TWO_LINES });
    correct();
    const { lines: _, ...settings } = board.settings as { lines: number[] };
    const expected = { ...PROVEN, board: { ...settings, ...PROVEN.board } };
    expect(await take({ ...SITE, board })).toMatchObject(expected);
  });

  test('where the file names at last the board that the device was given with relayctl', async () => {
    await take({ ...SITE, board: { settings: { kind: 'gpio', lines: [5, 6] }, activeLevel: 'low' } });
    change((before) => ({ ...before, board: { kind: 'gpio', profile: 'two-relays', lines: [17, 27] } }));
    correct();
    expect(await take(SITE)).toMatchObject(PROVEN);
  });

  describe('where the record does not say what the file named', () => {
    test.each<[string, () => void]>([
      ['it is gone', () => files.texts.delete(RECORD)],
      ['it is corrupt', () => void files.texts.set(RECORD, '{')],
      ['it has no board', () => changeRecord((record) => ({ ...record, rest: '{"productLogin": "gate-1"}' }))],
      ['it has no site', () => changeRecord((record) => ({ ...record, rest: '' }))],
    ])('%s', async (_what, spoil) => {
      for (const board of [SITE.board, TWO_LINES]) {
        files = new MemoryFiles();
        await take({ ...SITE, board });
        correct();
        spoil();
        expect(await take({ ...SITE, board, wifi })).toMatchObject(PROVEN);
      }
    });

    test('and the file names other relays: they are taken', async () => {
      await take(SITE);
      correct();
      files.texts.delete(RECORD);
      const board = { settings: { kind: 'gpio', lines: [22, 23] }, activeLevel: 'high' };
      expect(await take({ ...SITE, board })).toMatchObject({ ...AS_NAMED, board: { lines: [22, 23] } });
    });
  });

  test('with the record of the first version, whose file counts as new though nobody has edited it', async () => {
    await take(SITE);
    correct();
    change((before) => ({ ...before, board: { ...before.board, kind: 'gpio-sysfs' } }));
    changeRecord(({ rest }) => ({ digest: 'x', rest, isWiped: true }));
    expect(await take(SITE)).toMatchObject({ ...PROVEN, board: { kind: 'gpio-sysfs', lines: [27, 17] } });
  });
});

describe('a wiring that is edited on purpose is taken', () => {
  test.each<[string, object, object, object]>([
    [
      'other lines',
      TWO_LINES,
      { ...TWO_LINES, settings: { kind: 'gpio', lines: [22, 23] } },
      { board: { lines: [22, 23] } },
    ],
    ['lines exchanged', { ...TWO_LINES, settings: { kind: 'gpio', lines: [27, 17] } }, TWO_LINES, AS_NAMED],
    ['the other polarity', { ...TWO_LINES, activeLevel: 'low', acceptBootLevel: true }, TWO_LINES, AS_NAMED],
    ['another board', { ...TWO_LINES, activeLevel: 'low', acceptBootLevel: true }, { profile: 'two-relays' }, AS_NAMED],
    [
      "a card's profile that was mended",
      { ...OF_THE_CARD, ownProfile: { ...OWN_PROFILE, activeLevel: 'low' }, acceptBootLevel: true },
      OF_THE_CARD,
      AS_NAMED,
    ],
  ])('%s', async (_what, before, board, expected) => {
    await take({ ...SITE, board: before });
    correct();
    expect(await take({ ...SITE, board })).toMatchObject(expected);
  });

  test('and so is all of the file by a device without settings, whatever its record says', async () => {
    await take({ ...SITE, outputs: [{ name: 'Gate', mode: 'on-off' }] });
    files.texts.delete(SETTINGS);
    expect(await take({ ...SITE, outputs: [{ name: 'Gate', mode: 'on-off' }], wifi })).toMatchObject({
      board: { lines: [17, 27] },
      outputs: [{ name: 'Gate', mode: 'on-off', activeLevel: 'high' }, {}],
      requireProof: true,
    });
  });

  test('a simulated board gets the relays that further outputs name', async () => {
    const board = { settings: { kind: 'simulated' } };
    await take({ ...SITE, board, outputs: [{}] });
    expect((await take({ ...SITE, board, outputs: [{}, { name: 'Door' }] })).outputs).toMatchObject([
      {},
      { name: 'Door' },
    ]);
  });
});

describe('what a technician has changed stays where the file names it as before', () => {
  const INPUTS = [{ kind: 'contact', numInput: 0, name: 'Gate closed' }];
  const FULL = {
    ...SITE,
    outputs: [{ name: 'Gate', mode: 'impulse', pulseMs: 700 }, { name: 'Door' }],
    console: { port: '/dev/serial0' },
    web: { buttonLine: 24 },
    inputs: INPUTS,
  };

  test.each<[string, object]>([
    ['another board', { board: USB }],
    ['sysfs', { board: { kind: 'gpio-sysfs', profile: 'two-relays', lines: [17, 27] } }],
    ['another chip', { board: { kind: 'gpio', profile: 'two-relays', chip: 'hat', lines: [17, 27] } }],
  ])('%s', async (_what, board) => {
    const { inputs: _inputs, ...site } = FULL;
    await take(site);
    change(({ outputs, ...before }) => ({
      ...before,
      ...board,
      web: {},
      outputs: 'lines' in (board as { board: object }).board ? outputs : outputs.slice(0, 1),
    }));
    const { outputs } = JSON.parse(files.texts.get(SETTINGS) ?? '');
    expect(await take({ ...site, wifi })).toMatchObject({ ...board, outputs });
  });

  test("an output's members, each by itself, and what an input means", async () => {
    const site = { ...FULL, board: WITH_INPUT };
    await take(site);
    change(({ outputs: [gate, door], ...before }) => ({
      ...before,
      inputs: [],
      outputs: [
        { ...gate, mode: 'on-off', pulseMs: 900 },
        { ...door, name: 'Side door' },
      ],
    }));
    const outputs = [{ ...FULL.outputs[0], name: 'Main gate', pulseMs: 800 }, FULL.outputs[1]];
    expect(await take({ ...site, outputs })).toMatchObject({
      inputs: [],
      outputs: [
        { name: 'Main gate', mode: 'on-off', pulseMs: 800 },
        { name: 'Side door', mode: 'impulse' },
      ],
    });
  });

  test('and a new relay of another board is called as the file says', async () => {
    const one = { settings: { kind: 'gpio', lines: [17] }, activeLevel: 'high' };
    await take({ ...SITE, outputs: FULL.outputs });
    change(({ outputs, ...before }) => ({ ...before, board: one.settings, outputs: outputs.slice(0, 1) }));
    expect(await take({ ...SITE, outputs: FULL.outputs, board: TWO_LINES })).toMatchObject({
      outputs: [{ name: 'Gate' }, { name: 'Door' }],
    });
  });
});
