import { expect, test } from '@jest/globals';
import { KeptOutside } from '@relaygate/server/audit/kept-outside';

const head = (seq: number, writer = 'cli') => ({ writer, seq, hash: String(seq) });

test('passes over the heads of records that were not read, and over no other', () => {
  const outside = new KeptOutside({ expected: [head(3), head(5), head(7), head(9), head(6, 'node')] }, () => {});
  outside.compare('cli', head(7));
  outside.skip([head(4)], [head(8)]);
  expect(outside.uncompared).toEqual([head(5)]);
  expect(outside.missing()).toMatchObject([head(3), head(9), head(6, 'node')]);
});
