/** Every finding of the doctor has its words in each language, and none loses a value. */
import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { linkProblemOf } from '@relaygate/device-agent/agent/link/link-problem';
import { EN } from '@relaygate/device-agent/locales/en';
import { type FindingValues, findingIn, type Sentences } from '@relaygate/device-agent/locales/findings';
import { FR } from '@relaygate/device-agent/locales/fr';
import type { Locale } from '@relaygate/device-agent/locales/locale';
import { findingsOf, PlayedMachine } from '../../../support/device/played-machine';
import { FINDING_SAMPLES } from './finding-samples';

type FindingCode = keyof FindingValues;

const DOCTOR = resolve(__dirname, '../../../../../device-agent/src/doctor');
/** Names and paths alone, which are no language's. */
const WITHOUT_WORDS: readonly string[] = ['kernel-well', 'kernel-old', 'gpio-chips', 'sysfs', 'port-there', 'faults'];
/** The values belong to the code; TypeScript does not see that they go together. */
const CODES = Object.entries(FINDING_SAMPLES) as [FindingCode, FindingValues[FindingCode]][];

function saidOf<Code extends FindingCode>(
  locale: Locale,
  code: Code,
  values: FindingValues[Code],
): Required<Sentences> {
  return { means: '', cure: '', ...findingIn(locale.findings, code, values, locale.causeText) };
}

/** What a person would miss. */
function plainValues(values: object): string[] {
  return Object.values(values)
    .flat()
    .filter((value) => typeof value === 'number' || (typeof value === 'string' && /[^a-z]/.test(value)))
    .map(String);
}

test('both languages have the same findings, and their names', async () => {
  expect(Object.keys(EN.findings).sort()).toEqual(CODES.map(([code]) => code).sort());
  expect(Object.keys(FR.findings).sort()).toEqual(Object.keys(EN.findings).sort());
  const english = [...(await findingsOf(new PlayedMachine())).keys()];
  expect(english.sort()).toEqual(Object.keys(FR.findingNames).sort());
  expect(new Set(Object.values(FR.findingNames)).size).toBe(english.length);
});

test.each(CODES)('%s is told in both', (code, values) => {
  const [english, french] = [saidOf(EN, code, values), saidOf(FR, code, values)];
  if (!WITHOUT_WORDS.includes(code)) expect(french.found).not.toBe(english.found);
  for (const part of ['found', 'means', 'cure'] as const) {
    expect(french[part] === '').toBe(english[part] === '');
    // A command alone is the same everywhere; what is longer has words.
    if (english[part].split(' ').length > 4 && part !== 'found') expect(french[part]).not.toBe(english[part]);
  }
  for (const said of [english, french]) {
    const all = `${said.found} ${said.means} ${said.cure}`;
    expect(said.found).not.toBe('');
    expect(all).not.toMatch(/undefined|null|\[object|NaN|[{}]/);
  }
  const whole = (said: Sentences): string => `${said.found} ${said.means} ${said.cure}`;
  for (const value of plainValues(values)) {
    expect(whole(french).includes(value)).toBe(whole(english).includes(value));
  }
});

test('a server that cannot be reached is told in French with the details that English has', () => {
  const message = "Host: a. is not in the cert's altnames: DNS:b";
  const error = Object.assign(new Error(message), { code: 'ERR_TLS_CERT_ALTNAME_INVALID' });
  const problem = linkProblemOf(error);
  const values = { url: 'wss://a', serverCaFile: null, problem };
  expect(saidOf(EN, 'server-away', values).found).toContain(`(${message})`);
  expect(saidOf(FR, 'server-away', values).found).toBe(
    `wss://a ne peut pas être joint : le certificat du serveur porte un autre nom (${message})`,
  );
});

test('no finding has words that no check says', () => {
  const checks = readdirSync(DOCTOR)
    .filter((name) => name.endsWith('.ts'))
    .map((name) => readFileSync(join(DOCTOR, name), 'utf8'))
    .join('\n');
  expect(CODES.filter(([code]) => !checks.includes(`'${code}'`)).map(([code]) => code)).toEqual([]);
});

describe('a whole diagnosis', () => {
  test('has the same findings in French, under French names', async () => {
    const [english, french] = [await findingsOf(new PlayedMachine()), await findingsOf(new PlayedMachine(), 'fr')];
    expect([...french.keys()]).toEqual([...english.keys()]);
    const forPrograms = (findings: typeof english) =>
      [...findings.values()].map(({ check, code, verdict }) => [check, code, verdict]);
    expect(forPrograms(french)).toEqual(forPrograms(english));
    expect(forPrograms(french).map(([check]) => check)).toEqual([...english.keys()]);
    expect(french.get('clock')).toMatchObject({ name: 'horloge', found: expect.stringContaining('d’accord avec') });
    expect(french.get('supply')?.found).toBe('pas de sous-tension depuis le dernier démarrage');
  });
});
