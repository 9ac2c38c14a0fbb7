/** Every finding of the doctor has its words in each language, and none loses a value. */
import { describe, expect, test } from '@jest/globals';
import { linkProblemOf } from '@relaygate/device-agent/agent/link/link-problem';
import type { InputStatus } from '@relaygate/device-agent/agent/technician/local-messages/device';
import { EN } from '@relaygate/device-agent/locales/en';
import { type FindingValues, findingIn, type Sentences } from '@relaygate/device-agent/locales/findings';
import { FR } from '@relaygate/device-agent/locales/fr';
import type { Locale } from '@relaygate/device-agent/locales/locale';
import { findingsOf, PlayedMachine } from '../../../support/device/played-machine';
import { testCatalogue, WHY } from './both-languages';

const paths = { paths: ['/data/a', '/data/b'] };
const port = { port: '/dev/ttyS7' };
const space = { freeMib: 41, path: '/data' };
const INPUTS: InputStatus[] = [
  { numInput: 0, name: 'Gate', kind: 'contact', state: 'closed', level: 'high' },
  { numInput: 1, name: 'Exit', kind: 'button', state: null },
];

function saidOf<Code extends keyof FindingValues>(locale: Locale, code: Code, values: FindingValues[Code]): Sentences {
  return findingIn(locale.findings, code, values, locale.causeText);
}

test('both languages have the same findings, and their names', async () => {
  expect(Object.keys(FR.findings).sort()).toEqual(Object.keys(EN.findings).sort());
  const english = [...(await findingsOf(new PlayedMachine())).keys()];
  expect(english.sort()).toEqual(Object.keys(FR.findingNames).sort());
  expect(new Set(Object.values(FR.findingNames)).size).toBe(english.length);
});

testCatalogue<FindingValues>({
  english: EN.findings,
  french: FR.findings,
  samples: {
    faults: { texts: ['A.', 'B.'] },
    'not-linked': { hasCode: true },
    'not-enrolled': { problem: WHY, hasCode: false },
    'never-proven': { isRequired: true },
    proven: { by: 'Ada', at: '2026-05-01' },
    'console-missing': { ...port, kind: 'header' },
    'console-login': { ...port, login: 'serial-getty@ttyS7.service', tty: 'ttyS7', isBootConsole: true },
    'console-opened': { ...port, openers: [{ pid: 512, commandLine: 'minicom' }] },
    'console-of-kernel': { ...port, tty: 'ttyS7' },
    'console-half-seen': { ...port, what: 'openers' },
    'secrets-open': paths,
    'secrets-foreign': { owner: '900', ...paths },
    'access-open': paths,
    'kernel-old': { release: '5.4.83', least: '5.10', isNeeded: true },
    'gpio-not-needed': { kind: 'serial' },
    'lines-of-others': { label: 'pinctrl-x', path: '/dev/gpiochip3', holders: [{ line: 20, by: 'sysfs' }] },
    'off-late': { ...port, boards: 12, baud: 1_200, withinMs: 3_300 },
    'inputs-read': { inputs: INPUTS },
    'inputs-unmoved': { inputs: INPUTS, contacts: INPUTS.slice(0, 1) },
    'inputs-ill': { inputs: INPUTS, texts: ['F1', 'F2'], pressed: INPUTS.slice(1) },
    'power-on-closed': {
      file: '/boot/firmware/relaygate-board.txt',
      closings: [{ bcm: 6, level: 'low', configLine: 'gpio=6=op,dl' }],
    },
    'power-on-risky': {
      lines: [26],
      cures: [
        { resistor: { ohms: '4.7 kΩ', bcm: 26, pin: 37, rail: '3.3 V' }, configLine: 'gpio=26=op,dh' },
        { resistor: null, configLine: 'gpio=2=op,dl' },
        { resistor: null, configLine: null },
      ],
    },
    'death-tested': { line: 5, way: '/dev/gpiochip*', before: 'low', driven: 'high', after: 'low' },
    'server-away': {
      url: 'wss://gate.example',
      problem: { cause: 'not-trusted', details: 'X.509' },
      serverCaFile: '/data/ca.pem',
    },
    'disk-full': space,
    'disk-nearly-full': space,
    'disk-well': space,
  },
  say: (code, values) => [saidOf(EN, code, values), saidOf(FR, code, values)],
  alike: [
    'Linux {release}',
    'systemctl status relaygate-agent',
    'systemctl status relaygate-guard',
    'Linux 5.4.83',
    'A. B.',
    'chmod 600 /data/a /data/b',
    'chmod o= /data/a /data/b',
    'chown 900 /data/a /data/b',
  ],
  folder: 'doctor',
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
