/** Every refusal has its sentence in each language, and none loses a value. */
import { beforeEach, describe, expect, test } from '@jest/globals';
import { DeviceRefusal } from '@relaygate/device-agent/ipc/device-refusal';
import { EN } from '@relaygate/device-agent/locales/en';
import { REFUSALS } from '@relaygate/device-agent/locales/en/refusals';
import { FR } from '@relaygate/device-agent/locales/fr';
import { REFUSALS as FRENCH } from '@relaygate/device-agent/locales/fr/refusals';
import { refusalText } from '@relaygate/device-agent/locales/refusal-text';
import { sentenceOf } from '@relaygate/device-agent/locales/sentence';
import { cause, causeOf } from '@relaygate/device-agent/runtime/problem';
import { type Refusals, refused } from '@relaygate/device-agent/runtime/refused';
import { RelaygateError } from '@relaygate/shared';
import { AgentInMemory } from '../../../support/device/agent-in-memory';
import { errorWith } from '../../../support/device/error-with';
import { PageClient } from '../../../support/device/page-client';
import { testCatalogue, WHY } from './both-languages';

const BOTH = [
  [REFUSALS, EN.causeText],
  [FRENCH, FR.causeText],
] as const;

testCatalogue<Refusals>({
  english: REFUSALS,
  french: FRENCH,
  samples: {
    'no-such-output': { numOutput: 3, count: 3 },
    'refused-by-guard': { reason: 'locked' },
    'unproven-by-guard': { numOutput: 3, reason: 'locked' },
    'reset-begun': { so: 'no-lock' },
    'proof-impossible': { problems: [{ code: 'no-such-relay', values: { relay: 9, count: 4 } }, WHY] },
    'not-clicked': { outputs: [2, 5] },
    'proof-unsaved': { problem: WHY, stands: true },
    'value-not-allowed': { member: 'mode', flag: '--mode', value: '7' },
    'inputs-lost': { inputs: [3, 5] },
    'settings-unwritten': { path: '/data/x.json', problem: WHY, left: 'stands-unused' },
    'lock-unsaved': { path: '/data/x.json', problem: WHY, numOutput: 3, why: 'Yyy', wasLocked: true },
    'unlock-unsaved': { path: '/data/x.json', problem: WHY, numOutput: 3, mayBeUnlocked: true },
    'not-in-force': { why: WHY, isSaved: true },
    'page-time': { leastMs: 60_000, mostMs: 28_800_000, askedMs: 300 },
  },
  say(code, values) {
    const reason = { code, values };
    return [sentenceOf(reason, REFUSALS, EN.causeText) ?? '', sentenceOf(reason, FRENCH, FR.causeText) ?? ''];
  },
});

test('a text tells a cause of ours in the reader’s language', () => {
  const refusal = refused('guard-unreachable', 'guard-unreachable', { problem: cause('disk-silent', {}) });
  expect(refusalText(refusal, EN)).toBe('The guard cannot be reached: the disk does not answer.');
  expect(refusalText(refusal, FR)).toBe('Le service des relais est injoignable : le disque ne répond pas.');
});

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

describe('a refusal from a real device', () => {
  let device: AgentInMemory;
  beforeEach(async () => {
    device = await AgentInMemory.started();
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
    const pin = await device.newPin();
    await device.localRequest('web-on', { forMs: 3_600_000, hotspot: false });
    const phone = new PageClient(device.web, device.clock);
    await phone.logIn(pin);
    const said = async (headers: Record<string, string>): Promise<unknown> =>
      (await phone.act('pulse', { numOutput: 99 }, headers)).value;
    expect(await said({})).toMatchObject({ error: { message: expect.stringMatching(/^There is no output 99/) } });
    expect(await said({ 'accept-language': 'fr' })).toMatchObject({
      error: errorWith('output-not-found', /^La sortie 99 n’existe pas/),
    });
  });
});
