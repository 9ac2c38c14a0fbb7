import { RelaygateError } from '@relaygate/shared';
import { newProduct, type ProductWithKeys, type ProvisionDeps } from './provision';

/** Products in one transaction: enough to share its fsync, and few enough that the server's writes wait only briefly. */
const BATCH = 250;
/** A random login of 40 bits may be taken already. */
const MAX_TRIES = 3;

/**
 * Makes `count` products with random logins, one batch in each transaction. Calls `made` with each batch when it is durable,
 * and begins the next batch when `made` resolves. If it rejects, the batches before are made and reported, and the failed
 * batch is not made.
 */
export async function createProducts(
  deps: ProvisionDeps,
  wanted: { count: number; outputs: number; activated: boolean },
  made: (products: readonly ProductWithKeys[]) => Promise<void>,
): Promise<void> {
  for (let left = wanted.count; left > 0; left -= BATCH) {
    await made(await createBatch(deps, Math.min(left, BATCH), wanted));
  }
}

async function createBatch(
  deps: ProvisionDeps,
  size: number,
  wanted: { outputs: number; activated: boolean },
): Promise<ProductWithKeys[]> {
  for (let tried = 1; ; tried += 1) {
    const batch = Array.from({ length: size }, () => newProduct(deps, wanted));
    try {
      await deps.store.createProducts(batch.map(({ stored }) => stored));
      return batch.map(({ shown }) => shown);
    } catch (error) {
      const taken = error instanceof RelaygateError && error.code === 'already-exists';
      if (!taken || tried === MAX_TRIES) throw error;
    }
  }
}
