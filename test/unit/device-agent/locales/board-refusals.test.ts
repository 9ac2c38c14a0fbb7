/** Why a board cannot be opened is said in each language, with the same values. */
import { expect, test } from '@jest/globals';
import { EN } from '@relaygate/device-agent/locales/en';
import { BOARD_REFUSALS } from '@relaygate/device-agent/locales/en/board-refusals';
import { FR } from '@relaygate/device-agent/locales/fr';
import { BOARD_REFUSALS as FRENCH } from '@relaygate/device-agent/locales/fr/board-refusals';
import { type BoardRefusals, boardRefused } from '@relaygate/device-agent/runtime/board-refused';
import { cause, causeOf } from '@relaygate/device-agent/runtime/problem';
import { findingsOf, PlayedMachine } from '../../../support/device/played-machine';
import { testCatalogue } from './both-languages';

testCatalogue<BoardRefusals>({
  english: BOARD_REFUSALS,
  french: FRENCH,
  samples: {
    'no-chip-of-header': { labels: ['Zoe', 'sysfs'] },
    'no-chip-labelled': { label: 'Zoe', labels: ['sysfs'] },
    'chip-in-use': { label: 'Zoe', holders: [{ line: 20, by: 'Ada' }] },
  },
  say(code, values) {
    const refusal = boardRefused('board-unusable', code, values);
    expect(EN.causeText(causeOf(refusal))).toBe(refusal.message);
    return [refusal.message, FR.causeText(causeOf(refusal))];
  },
});

test('a line is named, and a cause of ours is told, in the reader’s language', () => {
  const what = { code: 'gpio-line', values: { line: 17, label: 'zzz' } };
  const problem = cause('disk-silent', {});
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
