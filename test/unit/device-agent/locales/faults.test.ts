/** Every fault has its words in each language, and none loses a value. */
import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { CAUSES, causeText } from '@relaygate/device-agent/locales/en/causes';
import { faultText } from '@relaygate/device-agent/locales/fault-text';
import { FR } from '@relaygate/device-agent/locales/fr';
import { causeInFrench } from '@relaygate/device-agent/locales/fr/causes';
import { type FaultCode, type FaultValues, fault } from '@relaygate/device-agent/runtime/fault';
import { refused, whyOf } from '@relaygate/device-agent/runtime/refused';

const SOURCES = resolve(__dirname, '../../../../../device-agent/src');
const output = { numOutput: 3, name: 'Portail' };
const problem = { problem: 'zzz' };
const path = { path: '/data/x.json' };
const aside = { keptAs: '/data/x.json.corrupt-1', keepProblem: '' };
const input = { numInput: 3, name: 'Sortie' };
const file = { file: 'x.json' };
/** A code that lacks here does not compile. */
const SAMPLES: { [Code in FaultCode]: FaultValues[Code] } = {
  'output-stuck': { ...output, ...problem },
  'output-not-asked': { ...output, ...problem },
  'output-unproven': output,
  'interlock-alone': { ...output, interlock: 'moteur' },
  'interlock-unread': { ...output, interlock: 'moteur' },
  'input-flapping': input,
  'input-unread': input,
  'button-stuck': input,
  'tamper-open': input,
  'board-away': problem,
  'state-unwritten': problem,
  'journal-unwritten': problem,
  'off-orders-unwritten': problem,
  'file-corrupt': { ...file, ...aside },
  'file-unreadable': { ...file, ...problem, ...aside },
  'guard-away': problem,
  'not-linked': problem,
  'epoch-behind': { epoch: 4, guardEpoch: 9 },
  'key-elsewhere': { times: 7 },
  'clock-not-set': {},
  'other-board': {},
  'output-count': { own: 4, guards: 8 },
  'output-not-in-force': { numOutput: 3, why: { text: 'zzz' } },
  'locks-corrupt': { ...path, ...aside },
  'locks-unreadable': { ...path, ...problem, ...aside },
  'locks-unwritten': { ...path, ...problem },
  'code-useless': path,
  'code-unreadable': { ...path, ...problem },
  'not-proven': {},
  'proof-unreadable': { ...path, ...problem },
  'history-corrupt': { ...path, ...aside },
  'history-unreadable': { ...path, ...problem, ...aside },
  'history-unwritten': problem,
  'hotspot-stays': { why: { text: 'zzz' } },
  'console-away': { port: '/dev/ttyS0', ...problem },
};
const CODES = Object.entries(SAMPLES);
/** What the programs say beside their sentences, the declaration of the failures left out. */
const SAID = readdirSync(SOURCES, { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.ts') && !name.startsWith('locales/') && name !== 'runtime/failure-code.ts')
  .map((name) => readFileSync(join(SOURCES, name), 'utf8'))
  .join('\n');

describe('a fault', () => {
  test.each(CODES)('%s is told with all its values in both languages', (code, values) => {
    const texts = [faultText({ code, values }), faultText({ code, values }, FR.faults)] as const;
    expect(texts[0]).not.toBe(texts[1]);
    for (const text of texts) {
      expect(text).not.toMatch(/undefined|null|\[object|^$/);
      for (const value of Object.values(values).filter((one) => one !== ''))
        expect(text).toContain(typeof value === 'object' ? value.text : String(value));
    }
  });

  const causes = CODES.filter(([, values]) => 'problem' in values);
  test.each(causes)('%s tells a cause of ours in the reader’s language', (code, values) => {
    const found = { code, values: { ...values, problem: 'disk-silent' } };
    expect(faultText(found)).toContain('the disk does not answer');
    expect(faultText(found, FR.faults)).toContain('le disque ne répond pas');
  });

  test('whose file could not be moved says why', () => {
    const values = { ...path, keptAs: '', keepProblem: 'EROFS' };
    expect(faultText(fault('history-corrupt', values))).toContain('could not be kept aside (EROFS)');
    expect(faultText(fault('history-corrupt', values), FR.faults)).toContain(
      'mis de côté (disque en lecture seule (EROFS))',
    );
  });

  test('that comes of a refusal tells it in the reader’s language', () => {
    const why = whyOf(refused('refused', 'output-busy', { numOutput: 3 }));
    for (const one of [fault('output-not-in-force', { numOutput: 3, why }), fault('hotspot-stays', { why })]) {
      expect(faultText(one)).toContain(': Output 3 is active or busy, so its mode');
      expect(faultText(one, FR.faults)).toContain(' : La sortie 3 est activée ou occupée : son mode');
    }
  });

  test('of another version, without words here, is told by its code', () => {
    for (const code of ['from-the-future', 'constructor'])
      expect(faultText({ code, values: {} }, FR.faults)).toBe(code);
  });

  test('is known by no code that no program says', () => {
    expect(CODES.filter(([code]) => !SAID.includes(`'${code}'`))).toEqual([]);
  });
});

describe('a reason within a sentence', () => {
  test.each(Object.entries(CAUSES))('%s has words in both languages', (code, words) => {
    expect(causeText(code)).toBe(words);
    expect([code, words]).not.toContain(causeInFrench(code));
  });

  test.each(Object.keys(CAUSES))('%s is said by a program', (code) => {
    const said = code.replace(/^reads-(high|low)$/, 'reads-');
    expect(SAID).toMatch(new RegExp(`['\`]${said}`));
  });

  test('names the port that it is of', () => {
    expect(causeText('/dev/ttyUSB0: unplugged')).toBe('/dev/ttyUSB0: it was unplugged');
    expect(causeInFrench('/dev/ttyUSB0: unplugged')).toBe('/dev/ttyUSB0: débranché');
  });

  test('may stand beside another one', () => {
    const [english, french] = ['the port takes no bytes', 'le port ne prend pas d’octets'];
    expect(causeText('/dev/ttyUSB0: port-hangs; port-hangs')).toBe(`/dev/ttyUSB0: ${english}; ${english}`);
    expect(causeInFrench('port-hangs; board 2 refuses; port-hangs')).toBe(`${french}; board 2 refuses; ${french}`);
  });

  test('that is another system’s, or an older guard’s, stays as it is', () => {
    for (const text of ['connect EWEIRD 192.0.2.1', 'it was unplugged', 'no answer: constructor']) {
      expect(causeText(text)).toBe(text);
      expect(causeInFrench(text)).toBe(text);
    }
    expect(causeInFrench('ENOSPC: no space left on device, write')).toBe('plus de place sur le disque (ENOSPC)');
  });
});
