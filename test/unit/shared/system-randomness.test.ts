import { expect, test } from '@jest/globals';
import { systemRandomness } from '@relaygate/shared/system';

test('bytes are as many as asked for, never the same ones twice, and stay what they were', () => {
  const taken = Array.from({ length: 2_000 }, (_, n) => systemRandomness.bytes(16 + (n % 3)));
  const texts = taken.map((bytes) => Buffer.from(bytes).toString('hex'));
  expect(taken.map((bytes) => bytes.length)).toEqual(taken.map((_, n) => 16 + (n % 3)));
  expect(new Set(texts.map((text) => text.slice(0, 32))).size).toBe(2_000);
  systemRandomness.bytes(1_024);
  expect(taken.map((bytes) => Buffer.from(bytes).toString('hex'))).toEqual(texts);
});

test('more bytes than are kept in store come all the same', () => {
  expect(new Set(systemRandomness.bytes(10_000)).size).toBe(256);
});

test('fractions lie in [0, 1)', () => {
  const fractions = Array.from({ length: 1_000 }, () => systemRandomness.fraction());
  expect(fractions.every((fraction) => fraction >= 0 && fraction < 1)).toBe(true);
  expect(new Set(fractions).size).toBe(1_000);
});
