import { expect, test } from '@jest/globals';
import { givenName, isPlain, NAME_PATTERN, oneLine, plainLine, plainText } from '@relaygate/shared';

/** What must not reach a terminal as it is, and what stands in its place. */
const HOSTILE: readonly [what: string, text: string, shown: string][] = [
  ['an escape', '\u001b', '\\u001b'],
  ['DEL', '\u007f', '\\u007f'],
  ['a control of C1', '\u009b', '\\u009b'],
  ['an Arabic letter mark', '\u061c', '\\u061c'],
  ['a right-to-left mark', '\u200f', '\\u200f'],
  ['an override', '\u202e', '\\u202e'],
  ['an isolate', '\u2066', '\\u2066'],
  ['a line separator', '\u2028', '\\u2028'],
  ['a paragraph separator', '\u2029', '\\u2029'],
  ['half a surrogate pair', '\ud800', '\\ud800'],
  ['a space of no width', '\u200b', '\\u200b'],
  ['a byte order mark', '\ufeff', '\\ufeff'],
  ['a tag', '\u{e0041}', '\\udb40\\udc41'],
  ['a carriage return', '\r', '\\u000d'],
];

test.each(HOSTILE)('%s is shown by its number, and is no part of a name', (_what, text, shown) => {
  for (const show of [plainText, plainLine]) expect(show(`a${text}b`)).toBe(`a${shown}b`);
  expect(isPlain(`a${text}b`)).toBe(false);
});

test('a JSON text with such characters keeps its value', () => {
  const value = { name: HOSTILE.map(([, text]) => text).join('x'), '\u202e': ['\n\t"\\'] };
  const text = plainText(`[${JSON.stringify(value)},\n${JSON.stringify(value)}]`);
  expect(text).toMatch(/^[\x20-\x7e\n]+$/);
  expect(JSON.parse(text)).toEqual([value, value]);
});

test.each(['Portail', 'Éclairage « nord »', 'علي', 'שער', '大門', 'नमस्ते', 'می‌خواهم', '👨‍👩‍👧', '❤️', 'a b'])(
  '%s stays as it is',
  (text) => {
    for (const show of [plainText, plainLine]) expect(show(text)).toBe(text);
    expect(isPlain(text)).toBe(true);
  },
);

test('lines and columns stay in a text, and are none in a line', () => {
  expect(plainText('a\tb\nc')).toBe('a\tb\nc');
  expect(plainLine('a\tb\nc')).toBe('a\\u0009b\\u000ac');
});

test.each([
  ['three spaces', '   '],
  ['nothing', ''],
  ['a space that no line breaks', '\u00a0'],
  ['an ideographic space', '\u3000'],
  ['joiners and a variation selector', '\u200d\u200c\ufe0f'],
  ['an empty pattern of Braille', '\u2800\u2800'],
  ['an accent without its letter', ' \u0301'],
  ['an override among letters', 'a\u202eb'],
])('%s is no name', (_what, text) => {
  expect(givenName(text)).toBeNull();
  expect(new RegExp(NAME_PATTERN, 'u').test(text)).toBe(false);
});

test.each(['Portail', 'می‌خواهم', '👨‍👩‍👧', '❤️', 'a b', '1', '*', 'e\u0301'])(
  '%s is a name, without the blanks around it',
  (name) => {
    expect(givenName(name)).toBe(name);
    expect(givenName(`\u00a0 ${name}\u3000 `)).toBe(name);
    expect(new RegExp(NAME_PATTERN, 'u').test(` ${name} `)).toBe(true);
  },
);

test.each(['\n', '\r\n', '\u2028', '\u2029', '\u0085', '\v', '\f', ' \n \u2028 '])('%j is no end of a line', (end) => {
  expect(oneLine(` one${end}two${end}`)).toBe('one two');
});
