import { expect, test } from '@jest/globals';
import { wrapped } from '@relaygate/device-agent/agent/technician/console/console-page';
import { localeOf } from '@relaygate/device-agent/locales/locales';
import { untranslated } from '../../../../../support/device/untranslated';

/** What is the same word in both. */
const SAME = [
  'inputKinds.contact',
  'labels.certificate',
  'labels.wifi',
  'kinds.pulse',
  'no.0',
  'choices.mode.impulse',
  'members.mode',
  'prove.again',
];

test('every sentence is there in both languages, and in another one each', () => {
  expect(untranslated(localeOf('en').console, localeOf('fr').console).filter((name) => !SAME.includes(name))).toEqual(
    [],
  );
});

test('no two items of one menu are the same', () => {
  for (const language of ['fr', 'en'] as const) {
    const items = Object.values(localeOf(language).console.menu);
    expect(new Set(items).size).toBe(items.length);
  }
});

test('signs of print are plain ones at a terminal that may not have them', () => {
  expect(wrapped(['L’état : voir « serveur » ou “x”'])).toEqual(['L\'état : voir "serveur" ou "x"']);
});
