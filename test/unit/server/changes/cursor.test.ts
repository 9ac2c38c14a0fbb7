import { expect, test } from '@jest/globals';
import { cursorText, parseCursor } from '@relaygate/server/changes/cursor';

test('a cursor is a text of writers and revisions that needs no escaping, and is read back', () => {
  const text = cursorText(
    new Map([
      [12, 4_501],
      [2, Number.MAX_SAFE_INTEGER],
    ]),
  );
  expect(text).toBe('2.9007199254740991-12.4501');
  expect(encodeURIComponent(text)).toBe(text);
  expect([...(parseCursor(text) ?? [])]).toEqual([
    [2, Number.MAX_SAFE_INTEGER],
    [12, 4_501],
  ]);
});

test('a cursor behind nothing is a text too', () => {
  expect(cursorText(new Map())).toBe('0.0');
  expect(parseCursor('0.0')?.size).toBe(0);
});

test.each(['', '-', '1', '1.', '.1', '1.2-', '1.2.3', '01.2', '1.-2', '1.2 ', '1.9007199254740993', 'a.b', '1.1e3'])(
  'no cursor: %j',
  (text) => {
    expect(parseCursor(text)).toBeUndefined();
  },
);

test('a text that names more writers than there can be is no cursor', () => {
  const pairs = Array.from({ length: 1_001 }, (_, writer) => `${writer}.1`);
  expect(parseCursor(pairs.slice(1).join('-'))?.size).toBe(1_000);
  expect(parseCursor(pairs.join('-'))).toBeUndefined();
});
