/** Every refusal has its sentence in each language, and none loses a value. */
import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { beforeEach, describe, expect, test } from '@jest/globals';
import { DeviceRefusal } from '@relaygate/device-agent/ipc/device-refusal';
import { EN } from '@relaygate/device-agent/locales/en';
import { REFUSALS } from '@relaygate/device-agent/locales/en/refusals';
import { FR } from '@relaygate/device-agent/locales/fr';
import { REFUSALS as FRENCH } from '@relaygate/device-agent/locales/fr/refusals';
import { refusalText } from '@relaygate/device-agent/locales/refusal-text';
import { sentenceOf } from '@relaygate/device-agent/locales/sentence';
import { cause, causeOf } from '@relaygate/device-agent/runtime/problem';
import type { Refusals } from '@relaygate/device-agent/runtime/refused';
import { RelaygateError } from '@relaygate/shared';
import { AgentInMemory } from '../../../support/device/agent-in-memory';
import { PageClient } from '../../../support/device/page-client';

const SOURCES = resolve(__dirname, '../../../../../device-agent/src');
const output = { numOutput: 3 };
const input = { ...output, input: 21 };
const problem = { problem: 'zzz' };
const file = { path: '/data/x.json', ...problem };
const why = 'yyy';
/** A code that lacks here does not compile. */
const SAMPLES: Refusals = {
  'no-such-output': { ...output, count: 3 },
  'too-late-for-guard': {},
  'output-busy': output,
  'state-unsaved': output,
  'output-stays-on': output,
  'not-an-impulse-output': output,
  'state-not-saved': output,
  'feedback-missing': input,
  'feedback-stuck': input,
  'ended-by-policy': input,
  'ended-by-stop': input,
  'switched-too-soon': { ...output, intervalMs: 750 },
  'policy-off': output,
  overtaken: output,
  stopped: output,
  'other-pulse': output,
  interlocked: { interlock: 'moteur' },
  'interlock-delay': {},
  'interlock-unread': { interlock: 'moteur' },
  'interlock-broken': { ...output, interlock: 'moteur' },
  'board-away': {},
  'board-failed': {},
  expired: output,
  'refused-by-guard': { reason: 'locked' },
  'unproven-by-guard': { ...output, reason: 'locked' },
  'answers-missing': { relays: 4, answers: 3 },
  'no-relay-clicked': output,
  'no-such-relay': { relay: 9, count: 4 },
  'relay-twice': { relay: 1, first: 0, second: 3 },
  'lines-fixed': { ...output, relay: 1 },
  'asker-gone': {},
  'too-late': {},
  'turn-too-late': {},
  'guard-unreachable': problem,
  'guard-silent': {},
  'guard-failed': {},
  'history-unwritten': problem,
  'reset-begun': { so: 'no-lock' },
  'reset-elsewhere': { own: 'gate-1', asked: 'gate-2' },
  'reset-stuck': { outputs: '1, 2' },
  'reset-unwritten': problem,
  'reset-without-guard': problem,
  'reset-not-taken-back': { ...problem, why },
  'reset-unfinished': problem,
  'click-runs': {},
  'clicks-uncertain': { clicks: 3, why },
  'guard-gone-between-clicks': {},
  'nobody-watches': {},
  'maybe-still-on': output,
  'another-is-on': output,
  'another-may-be-on': output,
  'pulse-of-another': output,
  'relays-being-proven': {},
  'click-settings-left': output,
  'wiring-changed': {},
  'proof-impossible': { problems: [{ code: 'no-such-relay', values: { relay: 9, count: 4 } }] },
  'not-clicked': { outputs: [2, 5] },
  'proof-unsaved': { ...problem, stands: true },
  'value-not-allowed': { member: 'pulseMs', flag: 'pulse-ms', value: '7' },
  'input-without-meaning': { numInput: 3 },
  'inputs-lost': { inputs: [3, 5] },
  'input-no-button': { numInput: 3, flag: 'action' },
  'input-incomplete': { numInput: 3, members: 'name' },
  'input-impossible': { numInput: 3, ...problem },
  'name-blank': {},
  'name-deceives': {},
  'no-such-setup': problem,
  'no-such-setup-yet': problem,
  'no-such-input-setup': problem,
  'no-such-board': problem,
  'other-board': {},
  'settings-edited': { path: '/data/x.json' },
  'settings-unwritten': { ...file, left: 'stands-unused' },
  'lock-unsaved': { ...file, ...output, why, wasLocked: true },
  'unlock-unsaved': { ...file, ...output, mayBeUnlocked: true },
  'not-in-force': { why, isSaved: true },
  'page-time': { leastMs: 60_000, mostMs: 28_800_000, askedMs: 300 },
  'agent-ending': {},
  'certificate-unsaved': problem,
  'port-taken': { port: 8443 },
  'page-cannot-listen': problem,
  'wifi-unmarked': file,
  'no-wifi': {},
  'passphrase-stuck': problem,
  'no-network-manager': {},
  'wifi-silent': { seconds: 20 },
  'wifi-failed': problem,
  'wifi-failed-silently': {},
  'doctor-looks': {},
  'doctor-too-slow': { seconds: 30 },
  'doctor-not-run': {},
};
const CODES = Object.entries(SAMPLES);
const BOTH = [
  [REFUSALS, EN.causeText],
  [FRENCH, FR.causeText],
] as const;

const DISK_SILENT = JSON.stringify(cause('disk-silent', {}));

const numbers = (text: string): string => (text.match(/\d+/g) ?? []).sort().join();

test.each(CODES)('%s is said with the same values in both languages', (code, values) => {
  const [english, french] = BOTH.map(([t, causeText]) => sentenceOf({ code, values }, t, causeText) ?? '');
  expect(french).not.toBe(english);
  for (const text of [english, french]) {
    expect(text).not.toMatch(/undefined|null|\[object|NaN|^$/);
    for (const value of ['moteur', 'yyy', 'zzz', '/data/x.json'])
      if (JSON.stringify(values).includes(value)) expect(text).toContain(value);
  }
  expect(numbers(french ?? '')).toBe(numbers(english ?? ''));
});

test.each(CODES.filter(([, values]) => JSON.stringify(values).includes('"zzz"')))(
  '%s tells a cause of ours in the reader’s language',
  (code, values) => {
    const found = { code, values: JSON.parse(JSON.stringify(values).replaceAll('"zzz"', DISK_SILENT)) };
    expect(sentenceOf(found, REFUSALS, EN.causeText)).toContain('the disk does not answer');
    expect(sentenceOf(found, FRENCH, FR.causeText)).toContain('le disque ne répond pas');
  },
);

test.each([
  [30_000, '30s', '30 s'],
  [5_400_000, '1h 30m', '1 h 30 min'],
  [86_460_000, '1d 1m', '1 j 1 min'],
])('a time of %i ms is told with its units', (askedMs, english, french) => {
  const values = { leastMs: 60_000, mostMs: 28_800_000, askedMs };
  const said = BOTH.map(([t, causeText]) => sentenceOf({ code: 'page-time', values }, t, causeText));
  expect(said).toEqual([
    `The page is on for 1m to 8h, not ${english}.`,
    `La page s’active pour 1 min à 8 h, et non pour ${french}.`,
  ]);
});

test('one inside another that has no words here, as of a newer guard, is told by its English sentence', () => {
  const newer = new DeviceRefusal('refused', { code: 'from-the-future', values: {} }, 'It is too early.');
  const values = { why: causeOf(newer), isSaved: true };
  for (const [t, causeText] of BOTH)
    expect(sentenceOf({ code: 'not-in-force', values }, t, causeText)).toContain('(It is too early.)');
});

test.each<[string, string, object]>([
  ['lack', 'no-such-output', { numOutput: 3 }],
  ['are of another kind', 'not-clicked', { outputs: 3 }],
])('one whose values %s, as of a newer guard, is told by the sentence that came', (_what, code, values) => {
  const newer = new DeviceRefusal('refused', { code, values }, 'It is too early.');
  expect(refusalText(newer, EN)).toBe('It is too early.');
  expect(refusalText(newer, FR)).toBe('L’appareil a refusé. (It is too early.)');
});

test('one is told in English as it came', () => {
  const newer = new DeviceRefusal('refused', { code: 'doctor-looks', values: {} }, 'The doctor looks, since noon.');
  expect(refusalText(newer, EN)).toBe('The doctor looks, since noon.');
});

test('none has words that no program says', () => {
  const sources = readdirSync(SOURCES, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts') && !name.startsWith('locales/'))
    .map((name) => readFileSync(join(SOURCES, name), 'utf8'))
    .join('\n');
  expect(CODES.filter(([code]) => !sources.includes(`'${code}'`))).toEqual([]);
});

describe('a refusal from a real device', () => {
  let device: AgentInMemory;
  beforeEach(async () => {
    device = new AgentInMemory();
    await device.startGuard();
    await device.startAgent();
    await device.passed(200);
  });

  async function refusal(type: string, body: object): Promise<RelaygateError> {
    const error: unknown = await device.localRequest(type, body).catch((one: unknown) => one);
    if (error instanceof RelaygateError) return error;
    throw new Error(`${type} was not refused`);
  }

  test('of the guard comes through both sockets in the words of whoever reads it', async () => {
    await device.localRequest('set', { numOutput: 0, state: 1 });
    const error = await refusal('output', { numOutput: 0, change: { mode: 'impulse', pulseMs: 500 }, force: false });
    expect(error.message).toMatch(/^Output 0 is active or busy, so its mode/);
    expect(refusalText(error, EN)).toBe(error.message);
    expect(refusalText(error, FR)).toMatch(/^La sortie 0 est activée ou occupée : son mode/);
  });

  test('of a value names what is allowed', async () => {
    const error = await refusal('output', { numOutput: 2, change: { pulseMs: 7 }, force: false });
    expect(error.message).toMatch(/^pulse-ms is a whole number from 50 to \d+, not 7\.$/);
    expect(refusalText(error, FR)).toMatch(/^pulse-ms doit être un nombre entier de 50 à \d+, et non 7\.$/);
  });

  test('without a sentence of its own is shown by its error, with the English one', async () => {
    const error = await refusal('pulse', {});
    expect(refusalText(error, FR)).toBe(`Échec. (${error.message})`);
    expect(refusalText(new RelaygateError('refused', 'So.'), FR)).toBe('L’appareil a refusé. (So.)');
  });

  test('is shown by the page in the language that it asks in', async () => {
    const { pin } = (await device.localRequest('new-pin', {})) as { pin: string };
    await device.localRequest('web-on', { forMs: 3_600_000, hotspot: false });
    const phone = new PageClient(device.web, device.clock);
    await phone.logIn(pin);
    const said = async (headers: Record<string, string>): Promise<unknown> =>
      (await phone.act('pulse', { numOutput: 99 }, headers)).value;
    expect(await said({})).toMatchObject({ error: { message: expect.stringMatching(/^There is no output 99/) } });
    expect(await said({ 'accept-language': 'fr' })).toMatchObject({
      error: { code: 'output-not-found', message: expect.stringMatching(/^La sortie 99 n’existe pas/) },
    });
  });
});
