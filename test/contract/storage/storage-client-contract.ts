import { beforeEach, describe, expect, test } from '@jest/globals';
import { freshStorage } from './fresh-storage';
import { client, family, keyOf, NOW_MS, product } from './samples';
import type { StorageUnderTest } from './storage-under-test';

export function storageClientContract(adapter: StorageUnderTest): void {
  describe('clients', () => {
    const storage = freshStorage(adapter);

    test('a new client is active and found by its key id', async () => {
      await storage.current.createClient(client('app', { keyId: 'k1', keyHash: 'ff00' }));
      expect(await storage.current.isKeyActive({ clientId: 'app', keyId: 'k1' }, NOW_MS)).toBe(true);
      expect(await storage.current.isKeyActive({ clientId: 'app', keyId: 'k2' }, NOW_MS)).toBe(false);
      expect(await storage.current.findClientKey('k1', NOW_MS)).toEqual({
        clientId: 'app',
        keyHash: 'ff00',
        active: true,
      });
    });

    test('an unknown client is not active and has no key', async () => {
      expect(await storage.current.isKeyActive(keyOf('nobody'), NOW_MS)).toBe(false);
      expect(await storage.current.findClientKey('nokey', NOW_MS)).toBeUndefined();
    });

    test('a second client of the same name is refused and the first is unchanged', async () => {
      await storage.current.createClient(client('app', { name: 'Desk' }));
      const second = storage.current.createClient(client('other', { name: 'Desk' }));
      await expect(second).rejects.toMatchObject({ code: 'already-exists' });
      expect(await storage.current.isKeyActive(keyOf('other'), NOW_MS)).toBe(false);
      expect((await storage.current.listClients('', 10)).map((row) => row.clientId)).toEqual(['app']);
    });

    test.each(['app', 'Desk'])(
      '%p, an id or a name, deactivates the client and activates it again',
      async (idOrName) => {
        await storage.current.createClient(client('app', { name: 'Desk' }));
        expect(await storage.current.setClientActive(idOrName, false, NOW_MS)).toBe(true);
        expect(await storage.current.isKeyActive(keyOf('app'), NOW_MS)).toBe(false);
        expect(await storage.current.findClientKey('key of app', NOW_MS)).toMatchObject({ active: false });
        expect(await storage.current.setClientActive(idOrName, true, NOW_MS)).toBe(true);
        expect(await storage.current.isKeyActive(keyOf('app'), NOW_MS)).toBe(true);
      },
    );

    test('an id goes before a name that reads the same', async () => {
      await storage.current.createClient(client('a', { name: 'b' }));
      await storage.current.createClient(client('b', { name: 'c' }));
      await storage.current.setClientActive('b', false, NOW_MS);
      expect(await storage.current.isKeyActive(keyOf('a'), NOW_MS)).toBe(true);
      expect(await storage.current.isKeyActive(keyOf('b'), NOW_MS)).toBe(false);
    });

    test('activating an unknown client says so', async () => {
      expect(await storage.current.setClientActive('nobody', true, NOW_MS)).toBe(false);
    });

    test('the list is ordered by name and read in pages, with the number of products', async () => {
      for (const id of ['c', 'a', 'd', 'b']) await storage.current.createClient(client(id, { name: `n-${id}` }));
      await storage.current.createProduct(product('gate'));
      await storage.current.associate('b', 'gate', NOW_MS);
      const first = await storage.current.listClients('', 2);
      const second = await storage.current.listClients('n-b', 2);
      expect([...first, ...second].map((row) => [row.name, row.products])).toEqual([
        ['n-a', 0],
        ['n-b', 1],
        ['n-c', 0],
        ['n-d', 0],
      ]);
      expect(await storage.current.listClients('n-d', 2)).toEqual([]);
      expect(first[0]).toEqual({
        clientId: 'a',
        name: 'n-a',
        keyId: 'key of a',
        active: true,
        createdAtMs: NOW_MS,
        products: 0,
        oldKeyUntilMs: null,
      });
    });

    describe('rotating a key', () => {
      const HOUR_MS = 3_600_000;
      const rotation = (keyId: string, keptForMs: number) => ({
        keyId,
        keyHash: 'bb',
        oldKeyUntilMs: NOW_MS + keptForMs,
        atMs: NOW_MS,
      });
      /** The ids of those keys, of k1 to k3, that open the client's door at that time. */
      const working = async (atMs = NOW_MS): Promise<string[]> => {
        const found = ['k1', 'k2', 'k3'].map(async (keyId) => {
          const record = await storage.current.findClientKey(keyId, atMs);
          // What was begun with a key lives exactly as long as the key (I13).
          expect(await storage.current.isKeyActive({ clientId: 'app', keyId }, atMs)).toBe(record !== undefined);
          return record ? [keyId] : [];
        });
        return (await Promise.all(found)).flat();
      };

      beforeEach(() => storage.current.createClient(client('app', { name: 'Desk', keyId: 'k1' })));

      test('the old key is dead at once, and so are the refresh families', async () => {
        await storage.current.createFamily(family('f1'));
        expect(await storage.current.rotateClientKey('Desk', rotation('k2', 0))).toEqual({
          clientId: 'app',
          name: 'Desk',
        });
        expect(await working()).toEqual(['k2']);
        expect(await storage.current.findFamily('f1')).toMatchObject({ revoked: true });
        const found = await storage.current.findClientKey('k2', NOW_MS);
        expect(found).toEqual({ clientId: 'app', keyHash: 'bb', active: true });
      });

      test('an old key that is kept works until its time, beside its refresh families', async () => {
        await storage.current.createFamily(family('f1'));
        await storage.current.rotateClientKey('app', rotation('k2', HOUR_MS));
        expect(await storage.current.findClientKey('k1', NOW_MS)).toEqual({
          clientId: 'app',
          keyHash: 'aa',
          active: true,
        });
        expect(await working(NOW_MS + HOUR_MS - 1)).toEqual(['k1', 'k2']);
        expect(await working(NOW_MS + HOUR_MS)).toEqual(['k2']);
        expect(await storage.current.findFamily('f1')).toMatchObject({ revoked: false });
        expect(await storage.current.listClients('', 1)).toMatchObject([
          { keyId: 'k2', oldKeyUntilMs: NOW_MS + HOUR_MS },
        ]);
      });

      test('no older key outlives what the last rotation allows', async () => {
        await storage.current.rotateClientKey('app', rotation('k2', 10 * HOUR_MS));
        await storage.current.rotateClientKey('app', rotation('k3', HOUR_MS));
        expect(await working(NOW_MS + HOUR_MS - 1)).toEqual(['k1', 'k2', 'k3']);
        expect(await working(NOW_MS + HOUR_MS)).toEqual(['k3']);
        await storage.current.rotateClientKey('app', rotation('k4', 0));
        expect(await working()).toEqual([]);
      });

      test('an old key of a deactivated client says so', async () => {
        await storage.current.rotateClientKey('app', rotation('k2', HOUR_MS));
        await storage.current.setClientActive('app', false, NOW_MS);
        expect(await storage.current.findClientKey('k1', NOW_MS)).toMatchObject({ active: false });
      });

      test("an unknown client's key is not rotated", async () => {
        expect(await storage.current.rotateClientKey('nobody', rotation('k2', 0))).toBeUndefined();
        expect(await working()).toEqual(['k1']);
      });
    });
  });
}
