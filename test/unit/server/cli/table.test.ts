import { expect, test } from '@jest/globals';
import { sheet, table } from '@relaygate/server/cli/table';

test('a cell that is cut ends with a whole character, and its line is not longer', () => {
  for (const before of ['', 'x']) {
    const text = table(['name', 'other'], [[before + '😀'.repeat(60), 'y'.repeat(60)]]);
    expect(text).not.toMatch(/[\ud800-\udbff](?![\udc00-\udfff])/);
    for (const line of text.split('\n')) expect(line.length).toBeLessThanOrEqual(100);
  }
});

test('a value keeps to its line and its cell', () => {
  expect(sheet([['Name', 'a\nb\u202e']])).toBe('Name  a\\u000ab\\u202e');
  expect(table(['name', 'x'], [['a\tb', 'c']])).toBe('name      x\na\\u0009b  c');
});
