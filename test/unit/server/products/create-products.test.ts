import { expect, test } from '@jest/globals';
import { createProducts } from '@relaygate/server/products/create-products';
import type { NewProduct, ProductStore } from '@relaygate/server/products/product-store';
import type { ProductWithKeys } from '@relaygate/server/products/provision';
import { type Randomness, RelaygateError } from '@relaygate/shared';

/** Bytes that count up, so that no two keys are alike. */
function counting(): Randomness {
  let next = 0;
  return {
    bytes(size) {
      next += 1;
      const bytes = new Uint8Array(size);
      new DataView(bytes.buffer).setUint32(0, next);
      return bytes;
    },
    fraction: () => 0,
  };
}

/** Refuses the batches that `refused` names, counted from 1. */
function scripted(refused: Record<number, RelaygateError> = {}) {
  const batches: (readonly NewProduct[])[] = [];
  const reported: (readonly ProductWithKeys[])[] = [];
  const createProduct: Pick<ProductStore, 'createProducts'>['createProducts'] = async (products) => {
    batches.push(products);
    const refusal = refused[batches.length];
    if (refusal) throw refusal;
  };
  // Only this one of the store's methods is used here.
  const store = { createProducts: createProduct } as unknown as ProductStore;
  const deps = { store, randomness: counting(), wallClock: { epochMs: () => 7 } };
  const make = (count: number) =>
    createProducts(deps, { count, outputs: 2, activated: true }, async (products) => {
      reported.push(products);
    });
  return { batches, reported, make };
}

test('many products are made in few transactions, and reported after each', async () => {
  const { batches, reported, make } = scripted();
  await make(600);
  expect(batches.map((batch) => batch.length)).toEqual([250, 250, 100]);
  expect(reported.flat().map(({ productLogin }) => productLogin)).toEqual(
    batches.flat().map(({ productLogin }) => productLogin),
  );
  expect(new Set(reported.flat().flatMap(({ productKey, enrolmentCode }) => [productKey, enrolmentCode])).size).toBe(
    1_200,
  );
});

test('a batch with a login that is taken is made again with other logins', async () => {
  const { batches, reported, make } = scripted({ 1: new RelaygateError('already-exists') });
  await make(2);
  expect(batches).toHaveLength(2);
  const [first = [], second = []] = batches;
  expect(first.some(({ productLogin }) => second.some((product) => product.productLogin === productLogin))).toBe(false);
  expect(reported).toHaveLength(1);
});

test('a batch that fails is not reported, those before it are', async () => {
  const { reported, make } = scripted({ 2: new RelaygateError('storage-unavailable') });
  await expect(make(600)).rejects.toMatchObject({ code: 'storage-unavailable' });
  expect(reported.map((products) => products.length)).toEqual([250]);
});
