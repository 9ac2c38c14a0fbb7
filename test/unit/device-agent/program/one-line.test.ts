import { expect, test } from '@jest/globals';
import { oneLine } from '@relaygate/device-agent/program/one-line';

test.each(['\n', '\r\n', '\u2028', '\u2029', '\u0085', '\v', '\f', ' \n \u2028 '])('%j is no end of a line', (end) => {
  expect(oneLine(` one${end}two${end}`)).toBe('one two');
});
