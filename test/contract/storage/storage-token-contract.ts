import { describe, expect, test } from '@jest/globals';
import { MAX_FAMILIES_PER_CLIENT } from '@relaygate/shared';
import { freshStorage } from './fresh-storage';
import { client, family, NOW_MS } from './samples';
import type { StorageUnderTest } from './storage-under-test';

export function storageTokenContract(adapter: StorageUnderTest): void {
  describe('refresh families', () => {
    const storage = freshStorage(adapter, (fresh) => fresh.createClient(client('app')));

    test('a family is found as it was made; an unknown one is not', async () => {
      await storage.current.createFamily(family('f1'));
      expect(await storage.current.findFamily('f1')).toEqual(family('f1'));
      expect(await storage.current.findFamily('f2')).toBeUndefined();
    });

    test('a rotation moves a family one generation on', async () => {
      await storage.current.createFamily(family('f1'));
      expect(await storage.current.rotateFamily('f1', 0, 'hash-1', NOW_MS + 5)).toBe(true);
      const moved = { generation: 1, tokenHash: 'hash-1', rotatedAtMs: NOW_MS + 5 };
      expect(await storage.current.findFamily('f1')).toEqual(family('f1', moved));
    });

    test('of 50 rotations from one generation at once, one succeeds', async () => {
      await storage.current.createFamily(family('f1'));
      const rotations = Array.from({ length: 50 }, (_, n) =>
        storage.current.rotateFamily('f1', 0, `hash-${n}`, NOW_MS),
      );
      expect((await Promise.all(rotations)).filter(Boolean)).toHaveLength(1);
      expect(await storage.current.findFamily('f1')).toMatchObject({ generation: 1 });
    });

    test('neither a wrong generation, nor a revoked or unknown family is rotated', async () => {
      await storage.current.createFamily(family('f1'));
      expect(await storage.current.rotateFamily('f1', 1, 'hash', NOW_MS)).toBe(false);
      expect(await storage.current.rotateFamily('f2', 0, 'hash', NOW_MS)).toBe(false);
      await storage.current.revokeFamily('f1', NOW_MS);
      expect(await storage.current.rotateFamily('f1', 0, 'hash', NOW_MS)).toBe(false);
      expect(await storage.current.findFamily('f1')).toEqual(family('f1', { revoked: true }));
    });

    test('beyond the bound, the family unused for longest gives way, and no other client is touched (I15)', async () => {
      await storage.current.createClient(client('other'));
      await storage.current.createFamily(family('others', { clientId: 'other', rotatedAtMs: 1 }));
      const ids = Array.from({ length: MAX_FAMILIES_PER_CLIENT }, (_, n) => `f${n}`);
      await Promise.all(ids.map((id, n) => storage.current.createFamily(family(id, { rotatedAtMs: NOW_MS + n }))));
      await storage.current.rotateFamily('f0', 0, 'used', NOW_MS + 1_000_000);
      await storage.current.createFamily(family('new', { rotatedAtMs: NOW_MS + 1_000_001 }));
      expect(await storage.current.findFamily('f1')).toBeUndefined();
      for (const kept of ['f0', 'f2', 'new', 'others']) expect(await storage.current.findFamily(kept)).toBeDefined();
    });
  });
}
