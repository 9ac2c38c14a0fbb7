import { describe, expect, test } from '@jest/globals';
import type { OldRows, OldRowsRemoved } from '@relaygate/server/upkeep/retention';
import type { HistoryEntry } from '@relaygate/shared';
import { freshStorage } from './fresh-storage';
import { command, family, NOW_MS, outcome, product, withLinkedGate } from './samples';
import type { StorageUnderTest } from './storage-under-test';

const DAY_MS = 24 * 3_600_000;
const ALL = 1_000;

export function storageRetentionContract(adapter: StorageUnderTest): void {
  describe('old rows are removed, the oldest first and at most as many as asked:', () => {
    const storage = freshStorage(adapter, withLinkedGate);
    const removeOld = async (what: OldRows, beforeMs: number, limit: number): Promise<number> =>
      (await storage.current.removeOld(what, { beforeMs, nowMs: NOW_MS + 999 * DAY_MS, afterId: 0, limit })).count;

    test('refresh families by their last use', async () => {
      for (let day = 0; day < 6; day += 1)
        await storage.current.createFamily(family(`f${day}`, { rotatedAtMs: NOW_MS + day * DAY_MS }));
      await storage.current.rotateFamily('f0', 0, 'hash-1', NOW_MS + 9 * DAY_MS);
      expect(await removeOld('refreshFamilies', NOW_MS + 5 * DAY_MS, 3)).toBe(3);
      expect(await removeOld('refreshFamilies', NOW_MS + 5 * DAY_MS, 3)).toBe(1);
      expect(await removeOld('refreshFamilies', NOW_MS + 5 * DAY_MS, 3)).toBe(0);
      const found = await Promise.all([0, 1, 2, 3, 4, 5].map((day) => storage.current.findFamily(`f${day}`)));
      expect(found.flatMap((left) => left?.familyId ?? [])).toEqual(['f0', 'f5']);
    });

    test('open commands of unknown outcome are closed, by when they were accepted; a pending one stays', async () => {
      for (const n of [1, 2, 3, 4])
        await storage.current.recordCommand(command(`c${n}`, { acceptedAtMs: NOW_MS + n * DAY_MS }));
      for (const n of [2, 3, 4])
        await storage.current.recordOutcome(outcome(`c${n}`, { outcome: 'unknown', observed: null }));
      expect(await removeOld('openCommands', NOW_MS + 4 * DAY_MS, 1)).toBe(1);
      expect(await storage.current.openCommands('gate', 10)).toEqual(
        ['c4', 'c3', 'c1'].map((commandId) => ({ commandId, bootId: 'boot-1' })),
      );
      expect(await removeOld('openCommands', NOW_MS + 4 * DAY_MS, ALL)).toBe(1);
      expect(await removeOld('openCommands', NOW_MS + 4 * DAY_MS, ALL)).toBe(0);
      expect(await storage.current.findCommand('c3')).toMatchObject({ outcome: 'unknown' });
      expect(await storage.current.recordOutcome(outcome('c3', { outcome: 'confirmed-late' }))).toBe(false);
    });

    test('commands by when they were accepted, but never one that is open', async () => {
      for (let day = 0; day < 7; day += 1)
        await storage.current.recordCommand(command(`c${day}`, { acceptedAtMs: NOW_MS + day * DAY_MS }));
      for (const day of [0, 1, 2, 3, 5, 6]) await storage.current.recordOutcome(outcome(`c${day}`));
      await storage.current.recordOutcome(outcome('c1', { outcome: 'unknown' }));
      expect(await removeOld('commands', NOW_MS + 5 * DAY_MS, 3)).toBe(3);
      expect(await removeOld('commands', NOW_MS + 5 * DAY_MS, 3)).toBe(1);
      expect(await removeOld('commands', NOW_MS + 5 * DAY_MS, 3)).toBe(0);
      const ids = ['c0', 'c1', 'c2', 'c3', 'c4', 'c5', 'c6'];
      const found = await Promise.all(ids.map((id) => storage.current.findCommand(id)));
      expect(found.flatMap((left) => left?.commandId ?? [])).toEqual(['c4', 'c5', 'c6']);
      expect(await storage.current.openCommands('gate', 10)).toMatchObject([{ commandId: 'c4' }]);
      // The newest stays.
      expect(await removeOld('commands', NOW_MS + 99 * DAY_MS, ALL)).toBe(1);
    });

    test('commands behind some that a clock ahead has accepted, reading on from one write to the next', async () => {
      const accepted = [900, 901, 902, 0, 903, 1, 2, 800, 6, 7, 8, 9, 10];
      for (const [n, day] of accepted.entries()) {
        await storage.current.recordCommand(command(`c${n}`, { acceptedAtMs: NOW_MS + day * DAY_MS }));
        await storage.current.recordOutcome(outcome(`c${n}`));
      }
      const range = { beforeMs: NOW_MS + 5 * DAY_MS, nowMs: NOW_MS + 20 * DAY_MS, limit: 2 };
      const counts: number[] = [];
      for (let afterId: number | null = 0; afterId !== null; ) {
        const removed: OldRowsRemoved = await storage.current.removeOld('commands', { ...range, afterId });
        counts.push(removed.count);
        afterId = removed.lastId;
      }
      const found = await Promise.all(accepted.map((_, n) => storage.current.findCommand(`c${n}`)));
      expect(found.flatMap((left) => left?.commandId ?? [])).toEqual([
        'c0',
        'c1',
        'c2',
        'c4',
        'c7',
        'c8',
        'c9',
        'c10',
        'c11',
        'c12',
      ]);
      // It ends at the first two of which none is old, and does not read all that are kept.
      expect(counts).toEqual([0, 1, 1, 1, 0]);
    });

    test('revocations, but never the newest, so that no number comes again and no server misses one (I13)', async () => {
      await storage.current.createProduct(product('other'));
      for (const [day, login] of ['gate', 'other', 'gate'].entries())
        await storage.current.revokeDevice(login, `code ${day}`, NOW_MS + day * DAY_MS);
      expect(await removeOld('deviceRevocations', NOW_MS + DAY_MS, ALL)).toBe(1);
      expect((await storage.current.revokedSince(0)).sort()).toEqual(['gate', 'other']);
      expect(await removeOld('deviceRevocations', NOW_MS + 99 * DAY_MS, ALL)).toBe(1);
      expect(await removeOld('deviceRevocations', NOW_MS + 99 * DAY_MS, ALL)).toBe(0);
      expect(await storage.current.revocationCount()).toBe(3);
      await storage.current.revokeDevice('other', 'code 4', NOW_MS);
      expect(await storage.current.revocationCount()).toBe(4);
      expect(await storage.current.revokedSince(3)).toEqual(['other']);
    });

    test('the last sweep is remembered', async () => {
      expect(await storage.current.lastSweepMs()).toBeNull();
      await storage.current.recordSweep(NOW_MS);
      await storage.current.recordSweep(NOW_MS + DAY_MS);
      expect(await storage.current.lastSweepMs()).toBe(NOW_MS + DAY_MS);
    });

    test('positions of histories, by when a newer one of the product superseded them', async () => {
      const entryOf = (seq: number): HistoryEntry => ({
        seq,
        actor: 'relayctl',
        kind: 'output',
        changes: [],
        atMs: null,
        bootId: 'boot-1',
        bootMs: seq,
      });
      const keep = (historyId: string, seq: number, day: number) =>
        storage.current.keepHistory('gate', 1, { historyId, entries: [entryOf(seq)], atMs: NOW_MS + day * DAY_MS });
      await keep('first', 5, 0);
      await keep('second', 3, 1);
      await keep('third', 7, 2);
      // It returns, and supersedes the third.
      await keep('first', 6, 3);
      expect(await removeOld('historyPositions', NOW_MS + 2 * DAY_MS, ALL)).toBe(0);
      expect(await removeOld('historyPositions', NOW_MS + 2 * DAY_MS + 1, ALL)).toBe(1);
      expect(await removeOld('historyPositions', NOW_MS + 3 * DAY_MS, ALL)).toBe(0);
      // What is saved already shows in what `keep` answers.
      expect([await keep('third', 1, 4), await keep('first', 1, 4), await keep('second', 1, 4)]).toEqual([7, 6, 1]);
      expect(await removeOld('historyPositions', NOW_MS + 99 * DAY_MS, ALL)).toBe(2);
    });
  });
}
