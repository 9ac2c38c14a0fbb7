import { RelaygateError } from '@relaygate/shared';
import { newProduct, type ProductWithKeys, type ProvisionDeps } from './provision';

/** Products of one transaction: enough to share its fsync, few enough that a server's writes get their turn. */
const BATCH = 250;
/** Random logins of 40 bits may meet one that is taken; twice in a row they do not. */
const MAX_TRIES = 3;

/**
 * Makes `count` products with random logins, a batch a transaction. Each batch is given to `made` once it is durable, and
 * the next is begun when that resolves. Rejects with the batches before it made and told, and nothing of its own.
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
