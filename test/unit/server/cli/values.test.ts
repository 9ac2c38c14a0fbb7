import { describe, expect, test } from '@jest/globals';
import { clientName, duration, expectedHeads, pastTime, recordId, time } from '@relaygate/server/cli/values';

describe('names of clients', () => {
  test('are without the blanks around them', () => {
    expect(clientName(' Front desk ')).toBe('Front desk');
  });

  test.each(['', '   ', '\u200d', '\u2800', 'N'.repeat(65)])('%j is none', (text) => {
    expect(() => clientName(text)).toThrow(/visible characters/);
  });
});

describe('durations', () => {
  test.each([
    ['90s', 90_000],
    ['30m', 1_800_000],
    ['24h', 86_400_000],
    ['366d', 31_622_400_000],
  ])('%s', (text, durationMs) => {
    expect(duration(text)).toBe(durationMs);
  });

  test.each(['', '0h', '24', '-1h', '1.5h', '24H', '367d', '999999d', '1 h', '1w'])('%p is none', (text) => {
    expect(() => duration(text)).toThrow(/It may be a duration/);
  });
});

describe('times', () => {
  test.each([
    ['2026-03-01T12:00Z', Date.UTC(2026, 2, 1, 12)],
    ['2026-03-01T12:00:05.250Z', Date.UTC(2026, 2, 1, 12, 0, 5, 250)],
    ['2026-03-01T13:00:00+01:00', Date.UTC(2026, 2, 1, 12)],
  ])('%s', (text, epochMs) => {
    expect(time(text)).toBe(epochMs);
  });

  test.each(['', '2026-03-01', '2026-03-01T12:00', '2026-13-01T12:00Z', '12:00Z', 'tomorrow'])('%p is none', (text) => {
    expect(() => time(text)).toThrow(/It may be a time/);
  });

  test('a time in the past may also be given as how long ago it was', () => {
    expect(pastTime('1m', 100_000)).toBe(40_000);
    expect(pastTime('2026-03-01T12:00Z', 100_000)).toBe(Date.UTC(2026, 2, 1, 12));
    expect(() => pastTime('tomorrow', 100_000)).toThrow(/so long ago/);
  });
});

test('today and yesterday begin at 0:00 UTC', () => {
  const nowMs = Date.UTC(2026, 2, 1, 13, 30);
  expect(pastTime('today', nowMs)).toBe(Date.UTC(2026, 2, 1));
  expect(pastTime('yesterday', nowMs)).toBe(Date.UTC(2026, 1, 28));
});

describe('ids of records', () => {
  test('may be those of a copied database, which go on far above the original', () => {
    expect(recordId('68719476736')).toBe(2 ** 36);
    expect(recordId(String(Number.MAX_SAFE_INTEGER))).toBe(Number.MAX_SAFE_INTEGER);
  });

  test.each(['', '-1', '01', '1.5', '9007199254740992', '1e3'])('%j is none', (text) => {
    expect(() => recordId(text)).toThrow(/whole number/);
  });
});

describe('heads', () => {
  const hash = 'a'.repeat(64);

  test('several are kept in their order', () => {
    const first = expectedHeads(`cli:3:${hash}`);
    expect(expectedHeads(`node-1:12:${hash}`, first)).toEqual([
      { writer: 'cli', seq: 3, hash },
      { writer: 'node-1', seq: 12, hash },
    ]);
  });

  test.each(['', 'cli:3', `cli:0:${hash}`, `cli:3:${hash}a`, `:3:${hash}`])('%p is none', (text) => {
    expect(() => expectedHeads(text)).toThrow(/WRITER:SEQ:HASH/);
  });
});
