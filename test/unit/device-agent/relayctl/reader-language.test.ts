import { expect, test } from '@jest/globals';
import { RELAYCTL as EN } from '@relaygate/device-agent/locales/en/relayctl';
import { RELAYCTL as FR } from '@relaygate/device-agent/locales/fr/relayctl';
import { terminalLanguage } from '@relaygate/device-agent/locales/relayctl';
import { showCommand } from '@relaygate/device-agent/relayctl/show';

test('the terminal speaks the language of the first variable that is set, as POSIX has it, and else English', () => {
  expect(terminalLanguage({})).toBe('en');
  expect(terminalLanguage({ LANG: 'fr_FR.UTF-8' })).toBe('fr');
  expect(terminalLanguage({ LANG: 'fr_FR.UTF-8', LC_MESSAGES: 'C' })).toBe('en');
  expect(terminalLanguage({ LANG: 'en_GB.UTF-8', LC_ALL: '', LC_MESSAGES: 'fr' })).toBe('fr');
  expect(terminalLanguage({ LC_MESSAGES: 'en', LC_ALL: 'fr_CA' })).toBe('fr');
  expect(terminalLanguage({ LANG: 'fur_IT' })).toBe('en');
});

test('what became of a command is said in each language', () => {
  const reply = { numOutput: 2, outcome: 'executed', state: 1 } as const;
  expect(showCommand(reply, EN)).toBe('output 2: done, now on');
  expect(showCommand(reply, FR)).toBe('sortie 2 : fait, maintenant activée');
});
