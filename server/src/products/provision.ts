import { type Randomness, RelaygateError, type WallClock } from '@relaygate/shared';
import { hashEnrolmentCode, newEnrolmentCode } from '../devices/enrolment-code';
import { newProductId } from './product-id';
import { hashProductKey, newProductKey } from './product-key';
import { newProductLogin } from './product-login';
import type { NewProduct, ProductRecord, ProductStore } from './product-store';

export interface ProvisionDeps {
  store: ProductStore;
  randomness: Randomness;
  wallClock: WallClock;
}

export interface ProductWithKeys {
  productLogin: string;
  /** Show key and code once: only their hashes are stored. */
  productKey: string;
  enrolmentCode: string;
  outputs: number;
  activated: boolean;
}

export interface WantedProduct {
  /** Random if left out. */
  productLogin?: string | undefined;
  /** 1..64. */
  outputs: number;
  activated: boolean;
}

/** Fails with `already-exists` if a product has this login. */
export async function createProduct(deps: ProvisionDeps, wanted: WantedProduct): Promise<ProductWithKeys> {
  const { stored, shown } = newProduct(deps, wanted);
  await deps.store.createProduct(stored);
  return shown;
}

/** A product with fresh keys: as it is stored, and as the operator sees it once. */
export function newProduct(
  { randomness, wallClock }: Omit<ProvisionDeps, 'store'>,
  { productLogin = newProductLogin(randomness), outputs, activated }: WantedProduct,
): { stored: NewProduct; shown: ProductWithKeys } {
  const productKey = newProductKey(randomness);
  const enrolmentCode = newEnrolmentCode(randomness);
  const hashes = { keyHash: hashProductKey(productKey), enrolmentHash: hashEnrolmentCode(enrolmentCode) };
  return {
    stored: {
      productId: newProductId(randomness),
      productLogin,
      ...hashes,
      outputCount: outputs,
      activated,
      createdAtMs: wallClock.epochMs(),
    },
    shown: { productLogin, productKey, enrolmentCode, outputs, activated },
  };
}

/** Fails with `product-not-found`. */
export async function showProduct(
  store: Pick<ProductStore, 'findProduct'>,
  productLogin: string,
): Promise<ProductRecord> {
  const product = await store.findProduct(productLogin);
  if (!product) throw noProduct(productLogin);
  return product;
}

/** Sets the flag of the application, which every command reads. Fails with `product-not-found`. */
export async function setProductActivated(
  { store, wallClock }: Omit<ProvisionDeps, 'randomness'>,
  productLogin: string,
  activated: boolean,
): Promise<void> {
  if (!(await store.setProductActivated(productLogin, activated, wallClock.epochMs()))) throw noProduct(productLogin);
}

/** Fails with `product-not-found` or `output-not-found`. */
export async function setOutputActivated(
  { store, wallClock }: Omit<ProvisionDeps, 'randomness'>,
  productLogin: string,
  numOutput: number,
  activated: boolean,
): Promise<void> {
  const done = await store.setOutputActivated(productLogin, numOutput, activated, wallClock.epochMs());
  switch (done) {
    case 'done':
      return;
    case 'no-product':
      throw noProduct(productLogin);
    case 'no-output':
      throw new RelaygateError('output-not-found', `The product ${productLogin} has no output ${numOutput}.`);
    default:
      return done satisfies never;
  }
}

/** Returns the new product key; the old one ends at once (I13), and associations stay. Fails with `product-not-found`. */
export async function rotateProductKey(
  { store, randomness, wallClock }: ProvisionDeps,
  productLogin: string,
): Promise<string> {
  const productKey = newProductKey(randomness);
  const known = await store.rotateProductKey(productLogin, hashProductKey(productKey), wallClock.epochMs());
  if (!known) throw noProduct(productLogin);
  return productKey;
}

/** Forgets the device's key (I13) and returns the enrolment code for the next device. Fails with `product-not-found`. */
export async function revokeDevice(
  { store, randomness, wallClock }: ProvisionDeps,
  productLogin: string,
): Promise<string> {
  const enrolmentCode = newEnrolmentCode(randomness);
  const known = await store.revokeDevice(productLogin, hashEnrolmentCode(enrolmentCode), wallClock.epochMs());
  if (!known) throw noProduct(productLogin);
  return enrolmentCode;
}

function noProduct(productLogin: string): RelaygateError {
  return new RelaygateError('product-not-found', `No product has the login ${productLogin}.`);
}
