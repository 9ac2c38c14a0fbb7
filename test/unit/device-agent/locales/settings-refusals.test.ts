/** What is wrong with settings is said in each language, with the same values. */
import { describe, expect, test } from '@jest/globals';
import { examine } from '@relaygate/device-agent/doctor/doctor';
import { allowedValue } from '@relaygate/device-agent/files/allowed-values';
import { readSettings } from '@relaygate/device-agent/files/settings-file';
import { type SettingsRefusals, settingsRefused } from '@relaygate/device-agent/files/settings-refused';
import { EN } from '@relaygate/device-agent/locales/en';
import { SETTINGS_REFUSALS } from '@relaygate/device-agent/locales/en/settings-refusals';
import { FR } from '@relaygate/device-agent/locales/fr';
import { allowedInSettings } from '@relaygate/device-agent/locales/fr/allowed-values';
import { SETTINGS_REFUSALS as FRENCH } from '@relaygate/device-agent/locales/fr/settings-refusals';
import { causeOf } from '@relaygate/device-agent/runtime/problem';
import { DeviceSettings, parseDeviceSettings, type SettingsProblems, settingsFault } from '@relaygate/shared/device';
import { DEMO_OUTPUTS, NO_SERVER, outputsWith } from '../../../support/device/device';
import { MemoryFiles } from '../../../support/device/memory-files';
import { PlayedMachine } from '../../../support/device/played-machine';
import { expectSameValues, numbersIn, testCatalogue, WHY } from './both-languages';

type Problems = { [Code in keyof SettingsProblems]: Parameters<SettingsProblems[Code]>[0] };

const input = { member: 'outputs.2.feedbackInput', input: 7 };
const button = { numInput: 5, numOutput: 3 };
/** A code that lacks here does not compile. */
const PROBLEMS: Problems = {
  'line-twice': { line: 20 },
  'line-taken': { line: 20 },
  'address-twice': { address: 17 },
  'too-many-inputs': { inputs: 80, most: 64 },
  'lines-count': { count: 3, outputs: 4 },
  'units-count': { count: 3, outputs: 4 },
  'relays-count': { count: 3, outputs: 4 },
  'serial-polarity': { numOutput: 2 },
  'board-without-inputs': { ...input, kind: 'lcus' },
  'no-inputs-set': { ...input, from: 'board.inputs' },
  'no-such-input': { ...input, last: 3, from: 'board.units' },
  'input-is-feedback': { ...input, numOutput: 1 },
  'input-has-meaning': input,
  'limit-short': { numOutput: 2, leastMs: 50 },
  'only-on-off': { numOutput: 2, members: ['maxOnMs', 'onLinkLoss'] },
  'button-no-output': { ...button, count: 2 },
  'button-of-mode': { ...button, action: 'pulse', mode: 'impulse' },
  'hold-without-limit': button,
  'hold-power-on': button,
  'hold-twice': button,
  'console-on-board': {},
  'console-on-lines': { lines: [14, 15], line: 14 },
};
const path = '/data/settings.json';
const ON_GPIO = { kind: 'gpio', lines: [26, 20, 21, 16] } as const;
const GOOD: DeviceSettings = { board: { kind: 'simulated' }, outputs: [...DEMO_OUTPUTS], link: NO_SERVER };

const members = (text: string): string => (text.match(/\b(board|outputs|inputs|console)\.[\w.]+/g) ?? []).join();

test.each(Object.entries(PROBLEMS) as [keyof Problems, never][])(
  '%s is said with the same values in both languages',
  (code, values) => {
    const { text, ...fault } = settingsFault(code, values);
    const french = FR.causeText({ ...fault, text: 'ENGLISH' });
    expect(french).not.toContain('ENGLISH');
    expect(french).not.toBe(text);
    expectSameValues(text, french, values);
    expect(members(french)).toContain(members(text).split('.')[0]);
  },
);

testCatalogue<SettingsRefusals>({
  english: SETTINGS_REFUSALS,
  french: FRENCH,
  samples: { 'settings-wrong': { path, problem: WHY, member: 'answerMs' } },
  say(code, values) {
    const refusal = settingsRefused('bad-setting', code, values);
    expect(EN.causeText(causeOf(refusal))).toBe(refusal.message);
    return [refusal.message, FR.causeText(causeOf(refusal))];
  },
});

test('each member of settings.json has what it may be in both languages', () => {
  const names = new Set<string>();
  const collect = (value: unknown): void => {
    if (typeof value !== 'object' || value === null) return;
    for (const [name, inner] of Object.entries(value)) {
      if (name === 'properties') for (const member of Object.keys(Object(inner))) names.add(member);
      collect(inner);
    }
  };
  collect(DeviceSettings);
  const withWords = [...names].filter((name) => allowedValue(name) !== null);
  expect(withWords.length).toBeGreaterThan(40);
  for (const name of names) {
    const [english, french] = [allowedValue(name), allowedInSettings(name)];
    expect([name, french === null]).toEqual([name, english === null]);
    expect([name, french]).not.toEqual([name, 'autre chose']);
    expect([name, numbersIn(french ?? '')]).toEqual([name, numbersIn(english ?? '')]);
  }
});

describe('settings.json in French', () => {
  async function said(content: unknown): Promise<string> {
    const files = new MemoryFiles();
    if (content !== undefined) files.texts.set(path, typeof content === 'string' ? content : JSON.stringify(content));
    const refusal: unknown = await readSettings(files, path, parseDeviceSettings).catch((error: unknown) => error);
    return FR.causeText(causeOf(refusal));
  }

  test.each<[string, unknown, string]>([
    ['that is missing', undefined, 'manque : cet appareil n’a pas encore de réglages'],
    ['that is torn', '{"board":', 'n’est pas du JSON ('],
    ['without a board', { ...GOOD, board: undefined }, ' : il manque « board » ; board est {"kind":"simulated"}, ou'],
    [
      'with another board',
      { ...GOOD, board: { kind: 'toaster' } },
      'board : « kind » n’est aucun des types possibles ; kind est « simulated », ',
    ],
    [
      'with another input',
      { ...GOOD, inputs: [{ kind: 'light', numInput: 0, name: 'Hall' }] },
      ' ; de « inputs », « contact », « tamper » ou « button ». Corrigez-le',
    ],
    ['with inputs that are no list', { ...GOOD, inputs: {} }, 'chacune comme {"kind":"contact","numInput":0,'],
    [
      'with a button of an output that is not there',
      {
        ...GOOD,
        outputs: outputsWith({}).slice(0, 1),
        inputs: [{ kind: 'button', numInput: 7, name: 'Exit', output: 3, action: 'pulse' }],
      },
      'inputs.7.output est 3, mais il y a 1 sortie. Corrigez-le',
    ],
    [
      'with an input that bounces for ever',
      { ...GOOD, inputs: [{ kind: 'contact', numInput: 7, name: 'Gate', debounceMs: 1_000_000 }] },
      'inputs.7.debounceMs : doit être au plus ',
    ],
    ['with an input without a number', { ...GOOD, inputs: [{ kind: 'contact', name: 'Gate' }] }, 'inputs[0] : '],
    [
      'with a number that is too small',
      { ...GOOD, outputs: outputsWith({ 0: { pulseMs: 10 } }) },
      'outputs.0.pulseMs : doit être au moins 50 ; pulseMs est un nombre entier de 50 à ',
    ],
    [
      'with a member of another board',
      { ...GOOD, board: { ...ON_GPIO, releaseOnDeath: true } },
      ' : board : « releaseOnDeath » n’existe pas. Corrigez-le et redémarrez.',
    ],
    [
      'with a line twice',
      { ...GOOD, board: { ...ON_GPIO, lines: [4, 5, 4, 6] } },
      'board.lines nomme deux fois la ligne 4. Corrigez-le',
    ],
    [
      'with a policy that means nothing',
      { ...GOOD, outputs: outputsWith({ 1: { mode: 'impulse', onLinkLoss: 'off' } }) },
      'outputs.1 : onLinkLoss ne vaut que pour une sortie on-off, et mode est impulse. Corrigez-le',
    ],
    [
      'with a console at the UART’s lines',
      { ...GOOD, board: { kind: 'lcus', port: '/dev/ttyUSB0', relays: 4 }, console: { port: '/dev/ttyUSB0' } },
      'console.port est le port de la carte de relais',
    ],
  ])('%s', async (_what, content, sentence) => {
    expect(await said(content)).toContain(sentence);
  });

  test('stands so in the doctor’s finding', async () => {
    const machine = new PlayedMachine();
    machine.settings = null;
    const wrong = settingsRefused('bad-setting', 'settings-wrong', {
      ...{ path, problem: settingsFault('line-twice', { line: 20 }), member: null },
    });
    const seen = await examine({ ...machine.context(), settingsProblem: causeOf(wrong) }, () => {});
    const finding = seen.find(({ name }) => name === 'settings');
    expect(finding?.in('fr').found).toBe(
      'settings.json est inutilisable : /data/settings.json : board.lines nomme deux fois la ligne 20. Corrigez-le et redémarrez.',
    );
  });
});
