/** The tests of a catalogue of sentences: English and French show the same values in words of their own. */
import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, test } from '@jest/globals';
import { cause } from '@relaygate/device-agent/runtime/problem';

/** Stands in a sample for why something failed; the tests put a cause of ours in its place, too. */
export const WHY = 'Zzz';

const SOURCES = resolve(__dirname, '../../../../../device-agent/src');
const CAUSE = JSON.stringify(cause('disk-silent', {}));

/** The texts of one sentence by part; a sentence of one text has the part `text`. */
type Texts = Readonly<Record<string, string>>;

interface Catalogue<Values> {
  english: object;
  french: object;
  /** Values for each code that has a function in at least one language. */
  samples: Partial<Values>;
  /** Gives the English sentence, then the French one. */
  say(code: keyof Values, values: Values[keyof Values]): readonly [object | string, object | string];
  /** Texts that are the same in both languages. */
  alike?: readonly string[];
  /** The folder of the programs that use the codes; by default all. */
  folder?: string;
  /** How the programs write a code; by default in quotes. */
  written?: (code: string) => string;
}

/**
 * Takes one catalogue in both languages. Tests the texts by their {names}, the functions by their samples, and that a
 * program uses each code.
 */
export function testCatalogue<Values extends object>(catalogue: Catalogue<Values>): void {
  const { english, french, samples, say, alike = [], folder, written = (code) => `'${code}'` } = catalogue;
  const texts = textsOf(english, french);
  const said = (code: keyof Values, values: Values[keyof Values]): [Texts, Texts] => {
    const [inEnglish, inFrench] = say(code, values);
    return [partsOf(inEnglish), partsOf(inFrench)];
  };

  test('a French text has the names, numbers and parts of the English one', () => {
    expect(texts.map(([code, , inFrench]) => [code, namesIn(inFrench)])).toEqual(
      texts.map(([code, inEnglish]) => [code, namesIn(inEnglish)]),
    );
  });

  test('a text is not empty, and has words of its language', () => {
    const untranslated = texts.map(([code, ...both]) => [code, ...untranslatedParts(...both, alike)]);
    expect(untranslated.filter(([, ...parts]) => parts.length > 0)).toEqual([]);
  });

  test('each function has a sample', () => {
    const withTexts = new Set(texts.map(([code]) => code));
    const codes = Object.keys(english).filter((code) => !withTexts.has(code));
    expect(Object.keys(samples).sort()).toEqual(codes.sort());
  });

  test.each(Object.entries(samples) as [keyof Values & string, Values[keyof Values]][])(
    '%s has the same values in both languages',
    (code, values) => {
      const [inEnglish, inFrench] = said(code, values);
      expect(untranslatedParts(inEnglish, inFrench, alike)).toEqual([]);
      expectSameValues(whole(inEnglish), whole(inFrench), values);
      if (!textsWithin(values).includes(WHY)) return;
      const [ofOurs, ofOursInFrench] = said(code, JSON.parse(JSON.stringify(values).replaceAll(`"${WHY}"`, CAUSE)));
      expect(whole(ofOurs)).toContain('the disk does not answer');
      expect(whole(ofOursInFrench)).toContain('le disque ne répond pas');
    },
  );

  test('none has words that no program says', () => {
    const programs = programsIn(folder);
    expect(Object.keys(english).filter((code) => !programs.includes(written(code)))).toEqual([]);
  });
}

/** Takes a sentence in both languages, and its values. Words of programs, such as `max-on`, may be translated. */
export function expectSameValues(english: string, french: string, values: unknown): void {
  const unchanged = textsWithin(values).filter((text) => /[^a-z-]/.test(text));
  for (const said of [english, french]) {
    expect(said).not.toMatch(/undefined|null|\[object|NaN|[{}]|^\s*$/);
    for (const value of unchanged) expect(said).toContain(value);
  }
  expect(numbersIn(french)).toEqual(numbersIn(english));
}

export function numbersIn(text: string): string[] {
  return (text.match(/\d+/g) ?? []).sort();
}

/** Takes two catalogues. Gives code, English and French texts of each sentence that is a function in neither. */
function textsOf(english: object, french: object): [string, Texts, Texts][] {
  const translations: Readonly<Record<string, unknown>> = { ...french };
  return Object.entries(english)
    .filter(([code, sentence]) => ![sentence, translations[code]].some((one) => typeof one === 'function'))
    .map(([code, sentence]) => [code, partsOf(sentence), partsOf(translations[code])]);
}

function partsOf(sentence: unknown): Texts {
  return typeof sentence === 'string' ? { text: sentence } : { ...Object(sentence) };
}

function whole(texts: Texts): string {
  return Object.values(texts).join(' ');
}

/** Takes a sentence in both languages. Gives the parts that lack in one, are empty, or have the same words. */
function untranslatedParts(english: Texts, french: Texts, alike: readonly string[]): string[] {
  return Object.keys({ ...english, ...french }).filter((part) => {
    const [one = '', other = ''] = [english[part], french[part]];
    return one.trim() === '' || other.trim() === '' || (one === other && hasWords(one) && !alike.includes(one));
  });
}

/** Takes texts by part. Gives the names in braces, each once, and the numbers of each part. */
function namesIn(texts: Texts): Record<string, string[]> {
  const parts = Object.entries(texts).map(([part, text]) => {
    const names = text.split(/[{}]/).filter((_, n) => n % 2 === 1);
    return [part, [...new Set(names.sort()), ...numbersIn(text)]];
  });
  return Object.fromEntries(parts);
}

function hasWords(text: string): boolean {
  return /\p{L}/u.test(text.replaceAll(/\{\w+\}/g, ''));
}

function textsWithin(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsWithin) : [];
}

/** The sources of all programs, or of those in one folder, without the translations. */
function programsIn(folder = ''): string {
  return readdirSync(join(SOURCES, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts') && !name.startsWith('locales/'))
    .map((name) => readFileSync(join(SOURCES, folder, name), 'utf8'))
    .join('\n');
}
