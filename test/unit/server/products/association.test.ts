/** Associations behind a disk that hangs: a write that nobody answered may come yet, behind later answers. I8. */
import { beforeEach, expect, test } from '@jest/globals';
import { Budgets } from '@relaygate/server/limits/budgets';
import { FailureCounter } from '@relaygate/server/limits/failure-counter';
import { associate, dissociate } from '@relaygate/server/products/association';
import { hashProductKey } from '@relaygate/server/products/product-key';
import { WriteDoubt } from '@relaygate/server/products/write-doubt';
import { RelaygateError } from '@relaygate/shared';
import { VirtualClock } from '../../../support/time/virtual-clock';

const KEY = 'a product key';

/** Of one product. Writes are committed in their order; while it hangs that is later, and they are refused meanwhile. */
class HangingStore {
  isHanging = false;
  isThere = false;
  writes = 0;
  readonly #late: (() => void)[] = [];

  release(): void {
    this.isHanging = false;
    for (const commit of this.#late.splice(0)) commit();
  }

  readonly findProduct = async (productLogin: string) => ({ productLogin, keyHash: hashProductKey(KEY) }) as never;
  readonly isAssociated = async () => this.isThere;
  readonly associate = async () => this.#write(true).then(() => true);
  readonly dissociate = async () => this.#write(false);

  async #write(isThere: boolean): Promise<boolean> {
    this.writes += 1;
    const commit = (): boolean => {
      const changes = this.isThere !== isThere;
      this.isThere = isThere;
      return changes;
    };
    if (!this.isHanging) return commit();
    this.#late.push(commit);
    throw new RelaygateError('storage-unanswered');
  }
}

let store: HangingStore;
let add: () => Promise<void>;
let remove: () => Promise<void>;
beforeEach(() => {
  store = new HangingStore();
  const clock = new VirtualClock();
  const wallClock = { epochMs: () => clock.nowMs(), isSet: () => true };
  const parts = {
    store: store as never,
    associations: new Budgets(clock, { burst: 100, perSecond: 1 }),
    doubt: new WriteDoubt(),
    wallClock,
    limiter: new FailureCounter(clock),
  };
  const claim = { clientId: 'app', productLogin: 'gate', productKey: KEY, address: '::1' };
  add = () => associate(parts, claim);
  remove = () => dissociate(parts, 'app', 'gate');
});

test('an association is not acknowledged ahead of a dissociation that may come yet', async () => {
  await add();
  store.isHanging = true;
  await expect(remove()).rejects.toMatchObject({ code: 'storage-unanswered' });
  await expect(add()).rejects.toMatchObject({ code: 'storage-unanswered' });
  store.release();
  await add();
  expect(store.isThere).toBe(true);
});

test('no answer says that there is no association while one may come yet', async () => {
  store.isHanging = true;
  await expect(add()).rejects.toMatchObject({ code: 'storage-unanswered' });
  await expect(remove()).rejects.toMatchObject({ code: 'storage-unanswered' });
  store.release();
  expect(store.isThere).toBe(false);
});

test('what is so already writes nothing again, once a later write was answered', async () => {
  await add();
  store.isHanging = true;
  await expect(remove()).rejects.toMatchObject({ code: 'storage-unanswered' });
  store.release();
  await add();
  const { writes } = store;
  for (let n = 0; n < 3; n += 1) await add();
  expect(store.writes).toBe(writes);
});
