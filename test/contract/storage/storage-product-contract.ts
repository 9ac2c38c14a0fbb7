import { describe, expect, test } from '@jest/globals';
import { eventsIn } from '../../support/server/audit-records';
import { freshStorage } from './fresh-storage';
import { client, NOW_MS, opening, product, productIdOf, report, withAppAndGate } from './samples';
import type { StorageUnderTest } from './storage-under-test';

const NOT_REPORTED = {
  name: null,
  mode: null,
  state: null,
  pulseMs: null,
  observedAtMs: null,
  version: { epoch: 0, seq: 0 },
  confirmedBy: null,
  lockedUntilMs: null,
};

export function storageProductContract(adapter: StorageUnderTest): void {
  describe('products', () => {
    const storage = freshStorage(adapter);

    test('a new product has its outputs, no device and nothing reported', async () => {
      await storage.current.createProduct(product('gate', { activated: false }));
      expect(await storage.current.findProduct('gate')).toEqual({
        productId: productIdOf('gate'),
        productLogin: 'gate',
        keyHash: 'key of gate',
        activated: false,
        enrolled: false,
        connected: false,
        devicePublicKey: null,
        agentVersion: null,
        faults: [],
        inputs: [],
        clients: 0,
        createdAtMs: NOW_MS,
        lastSeenAtMs: null,
        replacedAtMs: null,
        outputCount: 2,
        outputs: [
          { numOutput: 0, activated: false, ...NOT_REPORTED },
          { numOutput: 1, activated: false, ...NOT_REPORTED },
        ],
      });
    });

    test('several are made at once, or none where one login is taken', async () => {
      await storage.current.createProducts([product('gate'), product('door')]);
      const taken = storage.current.createProducts([product('barrier'), product('door'), product('siren')]);
      await expect(taken).rejects.toMatchObject({ code: 'already-exists' });
      expect((await storage.current.listProducts('', 10)).map((row) => row.productLogin)).toEqual(['door', 'gate']);
      expect(await eventsIn(storage.current)).toMatchObject(Array(2).fill({ kind: 'product-created' }));
      expect((await storage.current.findProduct('door'))?.outputs).toHaveLength(2);
    });

    test('a product that is activated from the start has all outputs activated', async () => {
      await storage.current.createProduct(product('gate', { activated: true }));
      const found = await storage.current.findProduct('gate');
      expect([found?.activated, ...(found?.outputs ?? []).map((output) => output.activated)]).toEqual([
        true,
        true,
        true,
      ]);
    });

    test('a second product with the same login is refused and the first is unchanged', async () => {
      await storage.current.createProduct(product('gate'));
      const second = storage.current.createProduct(product('gate', { outputCount: 9, keyHash: 'other' }));
      await expect(second).rejects.toMatchObject({ code: 'already-exists' });
      expect(await storage.current.findProduct('gate')).toMatchObject({ keyHash: 'key of gate', outputCount: 2 });
    });

    test('a product with the id of another one is refused: ids name products in records', async () => {
      await storage.current.createProduct(product('gate'));
      const second = storage.current.createProduct(product('door', { productId: productIdOf('gate') }));
      await expect(second).rejects.toMatchObject({ code: 'already-exists' });
      expect(await storage.current.findProduct('door')).toBeUndefined();
    });

    test('logins differ by case', async () => {
      await storage.current.createProduct(product('gate'));
      await storage.current.createProduct(product('Gate'));
      expect(await storage.current.findProduct('GATE')).toBeUndefined();
    });

    test('the list is ordered by login and read in pages', async () => {
      for (const login of ['c', 'a', 'b']) await storage.current.createProduct(product(login));
      const first = await storage.current.listProducts('', 2);
      expect(first.map((row) => row.productLogin)).toEqual(['a', 'b']);
      expect((await storage.current.listProducts('b', 2)).map((row) => row.productLogin)).toEqual(['c']);
      const flags = { activated: true, enrolled: false, connected: false };
      expect(first[0]).toEqual({ productLogin: 'a', outputCount: 2, ...flags, lastSeenAtMs: null });
    });

    test('the list of a client has its own, by login and in pages, and who holds their links', async () => {
      const db = storage.current;
      await db.createClient(client('app'));
      for (const login of ['c', 'a', 'b', 'x']) await db.createProduct(product(login, { activated: login !== 'c' }));
      for (const login of ['c', 'a', 'b']) await db.associate('app', login, NOW_MS);
      const row = { outputCount: 2, connected: false, lastSeenAtMs: null, faulty: false, nodeName: null };
      const [a, b, c] = ['a', 'b', 'c'].map((productLogin) => ({
        ...row,
        productLogin,
        activated: productLogin !== 'c',
      }));
      expect(await db.productsOf('app', '', 2)).toEqual([a, b]);
      expect(await db.productsOf('app', 'b', 2)).toEqual([c]);
      expect(await db.productsOf('nobody', '', 2)).toEqual([]);

      await db.joinNodes({ name: 'n1', instance: 'i1', secrets: 's' }, 60_000, NOW_MS);
      await db.enrolDevice('a', 'public-1', 'code of a', NOW_MS);
      await db.openLink('a', opening({ node: 'i1' }));
      await db.saveReport('a', 1, report({ faults: ['the board is away'] }));
      const [linked] = await db.productsOf('app', '', 1);
      expect(linked).toMatchObject({ connected: true, faulty: true, nodeName: 'n1' });
      await db.leaveNodes('i1', NOW_MS);
      expect(await db.productsOf('app', '', 1)).toMatchObject([{ connected: false, faulty: true, nodeName: null }]);
    });

    test('the application and single outputs are activated and deactivated', async () => {
      await storage.current.createProduct(product('gate'));
      expect(await storage.current.setProductActivated('gate', false, NOW_MS)).toBe(true);
      expect(await storage.current.setOutputActivated('gate', 1, false, NOW_MS)).toBe('done');
      const found = await storage.current.findProduct('gate');
      expect([found?.activated, ...(found?.outputs ?? []).map((output) => output.activated)]).toEqual([
        false,
        true,
        false,
      ]);
    });

    test('a new key replaces the old one and changes nothing else', async () => {
      await withAppAndGate(storage.current);
      const before = await storage.current.findProduct('gate');
      expect(await storage.current.rotateProductKey('gate', 'another key', NOW_MS)).toBe(true);
      expect(await storage.current.findProduct('gate')).toEqual({ ...before, keyHash: 'another key' });
      expect(await storage.current.isAssociated('app', 'gate')).toBe(true);
      expect(await storage.current.rotateProductKey('nothing', 'another key', NOW_MS)).toBe(false);
    });

    test('activating what does not exist says what is missing', async () => {
      await storage.current.createProduct(product('gate'));
      expect(await storage.current.setProductActivated('nothing', true, NOW_MS)).toBe(false);
      expect(await storage.current.setOutputActivated('nothing', 0, true, NOW_MS)).toBe('no-product');
      expect(await storage.current.setOutputActivated('gate', 2, true, NOW_MS)).toBe('no-output');
    });
  });

  describe('associations', () => {
    const storage = freshStorage(adapter, withAppAndGate);

    test('associating twice is the same as once', async () => {
      expect(await storage.current.associate('app', 'gate', NOW_MS)).toBe(true);
      expect(await storage.current.isAssociated('app', 'gate')).toBe(true);
      expect((await storage.current.findProduct('gate'))?.clients).toBe(1);
    });

    test('an association ends once', async () => {
      expect(await storage.current.dissociate('app', 'gate', NOW_MS)).toBe(true);
      expect(await storage.current.isAssociated('app', 'gate')).toBe(false);
      expect(await storage.current.dissociate('app', 'gate', NOW_MS)).toBe(false);
    });

    test('unknown products, unknown clients and deactivated clients are not associated', async () => {
      await storage.current.createClient(client('off'));
      await storage.current.setClientActive('off', false, NOW_MS);
      expect(await storage.current.associate('app', 'nothing', NOW_MS)).toBe(false);
      expect(await storage.current.associate('nobody', 'gate', NOW_MS)).toBe(false);
      expect(await storage.current.associate('off', 'gate', NOW_MS)).toBe(false);
      expect((await storage.current.findProduct('gate'))?.clients).toBe(1);
    });

    test('are listed by product, then by the name of the client, in pages', async () => {
      const db = storage.current;
      await db.createProduct(product('door'));
      await db.createClient(client('second', { name: 'a name before' }));
      for (const login of ['gate', 'door']) await db.associate('second', login, NOW_MS);
      await db.setClientActive('second', false, NOW_MS);
      const everything = { productLogin: null, clientId: null };
      const first = await db.listAssociations(everything, undefined, 2);
      const second = { clientId: 'second', clientName: 'a name before', clientActive: false };
      expect(first).toEqual([
        { productLogin: 'door', ...second },
        { productLogin: 'gate', ...second },
      ]);
      const app = { productLogin: 'gate', clientId: 'app', clientName: 'name of app', clientActive: true };
      expect(await db.listAssociations(everything, first[1], 2)).toEqual([app]);
      expect(await db.listAssociations(everything, app, 2)).toEqual([]);
    });

    test('are listed of one product, of one client, or of both', async () => {
      const db = storage.current;
      await db.createProduct(product('door'));
      await db.createClient(client('second'));
      for (const login of ['gate', 'door']) await db.associate('second', login, NOW_MS);
      const listed = async (productLogin: string | null, clientId: string | null): Promise<string[]> =>
        (await db.listAssociations({ productLogin, clientId }, undefined, 10)).map(
          (row) => `${row.productLogin} ${row.clientId}`,
        );
      expect(await listed('gate', null)).toEqual(['gate app', 'gate second']);
      expect(await listed(null, 'second')).toEqual(['door second', 'gate second']);
      expect(await listed('door', 'second')).toEqual(['door second']);
      expect(await listed('door', 'app')).toEqual([]);
      await db.dissociate('second', 'gate', NOW_MS);
      expect(await listed('gate', null)).toEqual(['gate app']);
    });

    test('another client is not associated with it (I7)', async () => {
      await storage.current.createClient(client('other'));
      expect(await storage.current.isAssociated('other', 'gate')).toBe(false);
    });
  });
}
