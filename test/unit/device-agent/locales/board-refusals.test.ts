/** Why a board cannot be opened is said in each language, with the same values. */
import { expect, test } from '@jest/globals';
import { EN } from '@relaygate/device-agent/locales/en';
import { FR } from '@relaygate/device-agent/locales/fr';
import { type BoardRefusals, boardRefused } from '@relaygate/device-agent/runtime/board-refused';
import { cause, causeOf } from '@relaygate/device-agent/runtime/problem';
import { findingsOf, PlayedMachine } from '../../../support/device/played-machine';

const what = { code: 'gpio-line', values: { line: 17, label: 'zzz' } };
const problem = cause('disk-silent', {});
const HOLDERS = [{ line: 20, by: 'sysfs' }];
/** A code that lacks here does not compile. */
const SAMPLES: BoardRefusals = {
  'gpio-chip': { label: 'zzz', path: '/dev/gpiochip0' },
  'gpio-line': { line: 17, label: 'zzz' },
  'no-gpio': {},
  'no-sysfs': {},
  'no-chip-of-header': { labels: ['zzz', 'sysfs'] },
  'no-chip-labelled': { label: 'zzz', labels: ['sysfs'] },
  'no-sysfs-chip': { path: '/sys/class/gpio', label: 'zzz' },
  'chips-alike': { count: 2, label: 'zzz' },
  'chip-without-line': { label: 'zzz', last: 53, line: 54 },
  'chip-in-use': { label: 'zzz', holders: HOLDERS },
  'chip-without-edges': { label: 'zzz', code: 'ENXIO' },
  'gpio-not-there': { what, code: 'ENODEV' },
  'gpio-not-allowed': { what, code: 'EACCES' },
  'gpio-held': { what },
  'gpio-refused': { what, code: 'EINVAL' },
  'gpio-unopened': { what, problem },
  'line-of-guard': { what },
  'line-exported': { path: '/sys/class/gpio/gpio529', line: 17 },
  'onoff-missing': { problem },
  'epoll-missing': { problem },
  'serialport-missing': { problem },
};
const CODES = Object.entries(SAMPLES) as [keyof BoardRefusals, BoardRefusals[keyof BoardRefusals]][];
const numbers = (text: string): string => (text.match(/\d+/g) ?? []).sort().join();

test.each(CODES)('%s has the same values in both languages', (code, values) => {
  const refusal = causeOf(boardRefused('board-unusable', code, values));
  const [english, french] = [EN.causeText(refusal), FR.causeText(refusal)];
  expect(english).toBe(boardRefused('board-unusable', code, values).message);
  expect(french).not.toBe(english);
  expect(numbers(french)).toBe(numbers(english));
  for (const said of [english, french]) expect(said).not.toMatch(/undefined|null|\[object|NaN|[{}]|^$/);
  for (const value of ['zzz', 'sysfs', '/dev/gpiochip0', 'ENXIO', 'EINVAL'])
    expect(french.includes(value)).toBe(english.includes(value));
});

test('a line is named, and a cause of ours is told, in the reader’s language', () => {
  const refusal = causeOf(boardRefused('board-unusable', 'gpio-unopened', { what, problem }));
  expect(EN.causeText(refusal)).toBe('Line 17 of "zzz" cannot be opened: the disk does not answer.');
  expect(FR.causeText(refusal)).toBe('La ligne 17 de « zzz » ne peut pas être ouverte : le disque ne répond pas.');
});

test('a holder without a name is the kernel', () => {
  const refusal = causeOf(boardRefused('board-busy', 'chip-in-use', { label: 'zzz', holders: [{ line: 4, by: '' }] }));
  expect(EN.causeText(refusal)).toContain('line 4 by "the kernel". Stop');
  expect(FR.causeText(refusal)).toContain('ligne 4 tenue par « le noyau ». Arrêtez');
});

test('the doctor says in French that the chip is not there', async () => {
  const machine = new PlayedMachine();
  machine.kernel.unplug('pinctrl-bcm2835');
  expect((await findingsOf(machine, 'fr')).get('board')?.found).toBe(
    'carte inutilisable : Aucune puce GPIO d’un Raspberry Pi n’est là : mettez dans board.chip de settings.json le nom de celle à utiliser ; il n’y en a aucune.',
  );
});
