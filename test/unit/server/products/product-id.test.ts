import { expect, test } from '@jest/globals';
import { newProductId } from '@relaygate/server/products/product-id';

const drawing = (...bytes: number[]) =>
  newProductId({ bytes: (size) => Uint8Array.from({ length: size }, (_, n) => bytes[n] ?? 0), fraction: () => 0 });

test('the id of a product is six random bytes, a number that the database and JSON keep exactly', () => {
  expect(drawing(0, 0, 0, 0, 0, 0)).toBe(0);
  expect(drawing(1, 2, 3, 4, 5, 6)).toBe(0x010203040506);
  expect(drawing(255, 255, 255, 255, 255, 255)).toBe(2 ** 48 - 1);
});
