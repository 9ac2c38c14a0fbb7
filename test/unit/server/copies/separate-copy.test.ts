import { expect, test } from '@jest/globals';
import { isSameLocation, locationOf } from '@relaygate/server/copies/separate-copy';

/** What a disk says of a file that was changed at `ctimeNs`. */
const onDisk = (birthtimeNs: bigint, ctimeNs: bigint, { dev = 1n, ino = 7n } = {}) =>
  locationOf('relaygate.db', { dev, ino, birthtimeNs, ctimeNs });

test.each([
  ['the time of the last change', (ctimeNs: bigint) => ctimeNs],
  ['nothing', () => 0n],
])('a file on a disk that gives %s for when it was made stays where it is', (_, birthOf) => {
  const [first, later] = [5n, 6n].map((ctimeNs) => onDisk(birthOf(ctimeNs), ctimeNs));
  if (!first || !later) throw new Error('two locations');
  expect(isSameLocation(first, later)).toBe(true);
  // There the disk's number counts.
  expect(isSameLocation(first, onDisk(birthOf(6n), 6n, { dev: 2n }))).toBe(false);
  expect(isSameLocation(first, onDisk(birthOf(6n), 6n, { ino: 8n }))).toBe(false);
});

test('a file whose disk says when it was made stays where it is until that is another time', () => {
  expect(isSameLocation(onDisk(3n, 5n), onDisk(3n, 6n, { dev: 2n }))).toBe(true);
  expect(isSameLocation(onDisk(3n, 5n), onDisk(4n, 5n))).toBe(false);
});
