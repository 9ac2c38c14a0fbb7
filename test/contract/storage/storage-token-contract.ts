import { describe, expect, test } from '@jest/globals';
import type { Storage } from '@relaygate/server/storage/storage';
import { MAX_FAMILIES_PER_CLIENT, REFRESH_IDLE_MS } from '@relaygate/shared';
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
      await fillFamilies(storage.current);
      await storage.current.rotateFamily('f0', 0, 'used', NOW_MS + 1_000_000);
      await storage.current.createFamily(family('new', { rotatedAtMs: NOW_MS + 1_000_001 }));
      expect(await storage.current.findFamily('f1')).toBeUndefined();
      for (const kept of ['f0', 'f2', 'new', 'others']) expect(await storage.current.findFamily(kept)).toBeDefined();
    });

    describe('one that gives way', () => {
      const LAST_MS = NOW_MS + REFRESH_IDLE_MS;
      const endedRecords = async () => {
        const filter = { productLogin: null, clientId: 'app', sinceMs: null, untilMs: null, outcome: null };
        const ended = { ...filter, kind: 'refresh-family-ended' } as const;
        const rows = await storage.current.listAudit(ended, { afterId: null, newestFirst: false }, 1_000);
        return rows.map(({ atMs, details }) => ({ atMs, ...details }));
      };
      test('is on record, for whoever held it has to log in anew', async () => {
        await fillFamilies(storage.current);
        expect(await endedRecords()).toEqual([]);
        await storage.current.createFamily(family('new', { rotatedAtMs: LAST_MS }));
        expect(await endedRecords()).toEqual([{ atMs: LAST_MS, familyId: 'f0', unusedSinceMs: NOW_MS }]);
      });

      test('is one that was revoked, where there is one, and not recorded a second time', async () => {
        await fillFamilies(storage.current);
        await storage.current.revokeFamily('f700', NOW_MS);
        await storage.current.createFamily(family('new', { rotatedAtMs: LAST_MS }));
        expect(await storage.current.findFamily('f700')).toBeUndefined();
        expect(await storage.current.findFamily('f0')).toBeDefined();
        expect(await endedRecords()).toEqual([]);
      });

      test('is not recorded when it was too old to be used', async () => {
        await fillFamilies(storage.current);
        await storage.current.createFamily(family('new', { rotatedAtMs: LAST_MS + 1 }));
        expect(await storage.current.findFamily('f0')).toBeUndefined();
        expect(await endedRecords()).toEqual([]);
      });
    });
  });
}

/** As many as there may be; `f0` is unused for longest. A hundred at once: all of them, as one group, may take longer than a write has. */
async function fillFamilies(storage: Storage): Promise<void> {
  for (let n = 0; n < MAX_FAMILIES_PER_CLIENT; n += 100) {
    const some = Array.from({ length: 100 }, (_, k) => family(`f${n + k}`, { rotatedAtMs: NOW_MS + n + k }));
    await Promise.all(some.map((each) => storage.createFamily(each)));
  }
}
