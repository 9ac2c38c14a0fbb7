/** Every fault has its words in each language, and none loses a value. */
import { describe, expect, test } from '@jest/globals';
import { parseGuardStatus } from '@relaygate/device-agent/guard/protocol';
import type { ValuesOf } from '@relaygate/device-agent/locales/catalogue';
import { BOARD_REFUSALS } from '@relaygate/device-agent/locales/en/board-refusals';
import { CAUSES, causeText } from '@relaygate/device-agent/locales/en/causes';
import { FAULTS } from '@relaygate/device-agent/locales/en/faults';
import { REFUSALS } from '@relaygate/device-agent/locales/en/refusals';
import { SETTINGS_REFUSALS } from '@relaygate/device-agent/locales/en/settings-refusals';
import { faultText } from '@relaygate/device-agent/locales/fault-text';
import { FR } from '@relaygate/device-agent/locales/fr';
import { CAUSES as FRENCH_CAUSES } from '@relaygate/device-agent/locales/fr/causes';
import { sentenceOf } from '@relaygate/device-agent/locales/sentence';
import { type FaultValues, fault } from '@relaygate/device-agent/runtime/fault';
import { cause, causeOf, failure } from '@relaygate/device-agent/runtime/problem';
import { refused } from '@relaygate/device-agent/runtime/refused';
import { testCatalogue, WHY } from './both-languages';

const causeInFrench = FR.causeText;
const path = { path: '/data/x.json' };
const aside = { keptAs: '/data/x.json.corrupt-1', keepProblem: '' };

describe('a fault', () => {
  testCatalogue<FaultValues>({
    english: FAULTS,
    french: FR.faults,
    samples: {
      'file-corrupt': { file: 'x.json', ...aside },
      'file-unreadable': { file: 'x.json', problem: WHY, ...aside },
      'key-elsewhere': { times: 7 },
      'locks-corrupt': { ...path, ...aside },
      'locks-unreadable': { ...path, problem: WHY, ...aside },
      'history-corrupt': { ...path, ...aside },
      'history-unreadable': { ...path, problem: WHY, ...aside },
    },
    say: (code, values) => [faultText(fault(code, values)), faultText(fault(code, values), FR)],
  });

  test('whose file could not be moved says why', () => {
    const values = { ...path, keptAs: '', keepProblem: { code: 'EROFS', values: {}, text: 'EROFS: read-only' } };
    expect(faultText(fault('history-corrupt', values))).toContain('could not be kept aside (EROFS: read-only)');
    expect(faultText(fault('history-corrupt', values), FR)).toContain('mis de côté (disque en lecture seule (EROFS))');
  });

  test('that comes of a refusal tells it in the reader’s language', () => {
    const why = causeOf(refused('refused', 'output-busy', { numOutput: 3 }));
    for (const one of [fault('output-not-in-force', { numOutput: 3, why }), fault('hotspot-stays', { why })]) {
      expect(faultText(one)).toContain(': Output 3 is active or busy, so its mode');
      expect(faultText(one, FR)).toContain(' : La sortie 3 est activée ou occupée : son mode');
    }
  });

  test('of another version, without words here, is told by its code', () => {
    for (const code of ['from-the-future', 'constructor']) expect(faultText({ code, values: {} }, FR)).toBe(code);
  });
});

describe('a cause within a sentence', () => {
  const problem = { path: '/dev/ttyUSB0', problem: cause('unplugged', {}) };

  testCatalogue<ValuesOf<typeof CAUSES>>({
    english: CAUSES,
    french: FRENCH_CAUSES,
    samples: { several: { problems: [WHY, 'Yyy'] }, 'unit-refuses': { address: 7, exception: 9 } },
    say: (code, values) => [causeText({ code, values }), causeInFrench({ code, values })],
    written: (code) => (code.startsWith('reads-') ? '`reads-' : `'${code}'`),
  });

  test('shares no code with a refusal, which may be a cause too', () => {
    const codes = [CAUSES, BOARD_REFUSALS, SETTINGS_REFUSALS, REFUSALS].flatMap((catalogue) => Object.keys(catalogue));
    expect(codes.filter((code, n) => codes.indexOf(code) !== n)).toEqual([]);
  });

  test('names the port that it is of', () => {
    expect(causeText(cause('of-port', problem))).toBe('/dev/ttyUSB0: it was unplugged');
    expect(causeInFrench(cause('of-port', problem))).toBe('/dev/ttyUSB0 : débranché');
  });

  test('may stand beside another one', () => {
    const several = cause('several', { problems: [cause('port-hangs', {}), 'board 2 refuses'] });
    expect(causeText(several)).toBe('the port takes no bytes; board 2 refuses');
    expect(causeInFrench(several)).toBe('le port ne prend pas d’octets ; board 2 refuses');
  });

  test.each([
    [2, 'it has no such coil', 'elle n’a pas cette bobine'],
    [11, 'exception 11', 'exception 11'],
  ])('tells exception %i of a Modbus board', (exception, english, french) => {
    const refusal = cause('unit-refuses', { address: 3, exception });
    expect(causeText(refusal)).toBe(`the board at address 3 refuses: ${english}`);
    expect(causeInFrench(refusal)).toBe(`la carte à l’adresse 3 refuse : ${french}`);
  });

  test('tells an input that a Modbus board lacks from a coil', () => {
    const refusal = cause('unit-lacks-input', { address: 3 });
    expect(causeText(refusal)).toBe('the board at address 3 refuses: it has no such input');
    expect(causeInFrench(refusal)).toBe('la carte à l’adresse 3 refuse : elle n’a pas cette entrée');
  });

  test('that is another system’s, or an older guard’s, stays as it came', () => {
    for (const text of ['connect EWEIRD 192.0.2.1', 'it was unplugged', 'unplugged', 'no answer: constructor']) {
      expect(causeText(text)).toBe(text);
      expect(causeInFrench(text)).toBe(text);
    }
  });

  test('of the system is known by its code', () => {
    const full = causeOf(Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC' }));
    expect(causeText(full)).toBe('ENOSPC: no space left on device, write');
    expect(causeInFrench(full)).toBe('plus de place sur le disque (ENOSPC)');
    const weird = causeOf(Object.assign(new Error('EWEIRD: so'), { code: 'EWEIRD' }));
    expect(causeInFrench(weird)).toBe('EWEIRD: so');
  });
});

describe('a cause between programs of different versions', () => {
  const away = fault('board-away', { problem: causeOf(failure('unit-silent', { address: 3 })) });

  test('is in English for an agent that takes texts and numbers alone', () => {
    expect(away.values).toEqual({ problem: 'the board at address 3 does not answer' });
    expect(faultText({ code: 'board-away', values: away.values }, FR)).toBe(
      'La carte de relais est absente : the board at address 3 does not answer.',
    );
  });

  test('passes the socket, and is said in the reader’s language', () => {
    const status = { bootId: 'b', epoch: 0, outputs: [], faults: [away] };
    const parsed = parseGuardStatus(JSON.parse(JSON.stringify(status)));
    expect(parsed.ok && faultText(parsed.value.faults[0] ?? away, FR)).toBe(
      'La carte de relais est absente : la carte à l’adresse 3 ne répond pas.',
    );
  });

  test.each<[string, object]>([
    ['code', { code: 'from-the-future', values: {} }],
    ['values', { code: 'unit-silent', values: {} }],
    ['shape', { word: 'unit-silent' }],
    ['shape of values', { code: 'unit-silent' }],
  ])('whose %s is not known here is said in English', (_what, problem) => {
    expect(faultText({ ...away, causes: { problem } }, FR)).toBe(
      'La carte de relais est absente : the board at address 3 does not answer.',
    );
  });

  test('that came as a text with its reason is shown by its text', () => {
    const values = { numOutput: 3, why: { text: 'It is too early.' } };
    expect(sentenceOf({ code: 'output-not-in-force', values }, FR.faults, FR.causeText)).toBe(
      'Les réglages de la sortie 3 ne sont pas encore en vigueur : It is too early.',
    );
  });
});
