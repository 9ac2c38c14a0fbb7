/** The page's words, as esbuild puts them together for a browser. */
import { resolve } from 'node:path';
import { expect, test } from '@jest/globals';
import { buildSync } from 'esbuild';
import { untranslated } from '../../support/device/untranslated';

const LOCALES = resolve(__dirname, '../../../../device-agent/src/locales');
/** What is the same word in both. */
const SAME = [
  'inputKinds.contact',
  'pulse',
  'kinds.pulse',
  'commands.pulse',
  'choices.mode.impulse',
  'outputFields.mode',
  'login.pin',
  'units.3',
  'link.version',
  'members.mode',
];

function words(): { ENGLISH: object; FRENCH: object } {
  const contents = "export { PAGE as ENGLISH } from './en/page'; export { PAGE as FRENCH } from './fr/page';";
  const built = buildSync({
    stdin: { contents, resolveDir: LOCALES, loader: 'ts' },
    bundle: true,
    format: 'cjs',
    write: false,
    tsconfigRaw: '{}',
  });
  const module = { exports: { ENGLISH: {}, FRENCH: {} } };
  new Function('module', built.outputFiles[0]?.text ?? '')(module);
  return module.exports;
}

test('every sentence is there in both languages, and in another one each', () => {
  const { ENGLISH, FRENCH } = words();
  expect(Object.keys(ENGLISH).length).toBeGreaterThan(50);
  expect(untranslated(ENGLISH, FRENCH).filter((name) => !SAME.includes(name))).toEqual([]);
});
