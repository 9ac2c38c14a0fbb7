import { describe, expect, test } from '@jest/globals';
import type { AuditFilter, AuditRow } from '@relaygate/server/audit/audit-store';
import { type HistoryEntry, MAX_HISTORIES_PER_PRODUCT } from '@relaygate/shared';
import { freshStorage } from './fresh-storage';
import { NOW_MS, opening, product, withLinkedGate } from './samples';
import type { StorageUnderTest } from './storage-under-test';

const ALL: AuditFilter = {
  productLogin: null,
  clientId: null,
  sinceMs: null,
  untilMs: null,
  outcome: null,
  kind: null,
};
const ID = 'history-of-card1';

function entry(seq: number, changes: Partial<HistoryEntry> = {}): HistoryEntry {
  const who = { actor: 'relayctl as ana', kind: 'output', changes: [] };
  return { seq, ...who, atMs: NOW_MS - 5_000, bootId: 'boot-1', bootMs: 77, ...changes };
}

export function storageHistoryContract(adapter: StorageUnderTest): void {
  describe('the history of a device', () => {
    const storage = freshStorage(adapter, withLinkedGate);
    const keep = (entries: HistoryEntry[], historyId = ID, epoch = 1, login = 'gate') =>
      storage.current.keepHistory(login, epoch, { historyId, entries, atMs: NOW_MS });
    const records = (): Promise<AuditRow[]> =>
      storage.current.listAudit({ ...ALL, kind: 'device-history' }, { afterId: null, newestFirst: false }, 1000);
    const seqs = async () => (await records()).map(({ details }) => details?.deviceSeq);

    test('becomes part of the audit, a record an entry, with both times and who called themselves so', async () => {
      const changes = [
        { member: 'outputs.2.pulseMs', from: 500, to: 750 },
        { member: 'outputs.2.name', from: null, to: 'a; b' },
      ];
      expect(
        await keep([
          entry(4, { numOutput: 2, changes }),
          entry(5, { kind: 'pulse', outcome: 'refused', reason: 'busy' }),
        ]),
      ).toBe(5);
      expect(await records()).toMatchObject([
        {
          kind: 'device-history',
          productLogin: 'gate',
          atMs: NOW_MS,
          details: {
            historyId: ID,
            deviceSeq: 4,
            actor: 'relayctl as ana',
            did: 'output',
            numOutput: 2,
            changes: 'outputs.2.pulseMs: 500 -> 750; outputs.2.name: null -> "a; b"',
            deviceAt: '2025-12-31T23:59:55.000Z',
            bootId: 'boot-1',
            bootMs: 77,
          },
        },
        { details: { did: 'pulse', outcome: 'refused', reason: 'busy' } },
      ]);
    });

    test('keeps how long a lock is to hold; keeps a kind and drops members that this server does not know', async () => {
      const newer = { ...entry(2, { kind: 'polish' }), withWhat: 'wax' };
      expect(await keep([entry(1, { kind: 'lock', numOutput: 3, forMs: 7_200_000 }), newer])).toBe(2);
      const [lock, polish] = await records();
      expect(lock).toMatchObject({ details: { did: 'lock', numOutput: 3, forMs: 7_200_000 } });
      expect(polish).toMatchObject({ details: { did: 'polish' } });
      expect(JSON.stringify(polish)).not.toContain('wax');
    });

    test('is kept once, however often it is reported, and says how far it is kept', async () => {
      expect(await keep([])).toBe(0);
      expect(await keep([entry(1), entry(2)])).toBe(2);
      expect(await keep([entry(1), entry(2), entry(3)])).toBe(3);
      expect(await keep([entry(2)])).toBe(3);
      expect(await keep([])).toBe(3);
      expect(await seqs()).toEqual([1, 2, 3]);
    });

    test('reported twice at once is kept once', async () => {
      expect(await Promise.all([keep([entry(1), entry(2)]), keep([entry(1), entry(2)])])).toEqual([2, 2]);
      expect(await seqs()).toEqual([1, 2]);
    });

    test('may have gaps, and what comes out of order is passed over', async () => {
      expect(await keep([entry(7), entry(3), entry(9), entry(9)])).toBe(9);
      expect(await seqs()).toEqual([7, 9]);
    });

    test('differs by its id, and by the product', async () => {
      await storage.current.createProduct(product('door'));
      await storage.current.enrolDevice('door', 'public-2', 'code of door', NOW_MS);
      await storage.current.openLink('door', opening({ publicKey: 'public-2' }));
      expect(await keep([entry(5)])).toBe(5);
      expect(await keep([entry(1)], 'history-of-card2')).toBe(1);
      expect(await keep([entry(2)], ID, 1, 'door')).toBe(2);
      expect(await keep([])).toBe(5);
    });

    test('of a superseded link, or of no product, is not taken (I12)', async () => {
      await storage.current.openLink('gate', opening({ atMs: NOW_MS + 1 }));
      expect(await keep([entry(1)])).toBeUndefined();
      expect(await keep([entry(1)], ID, 1, 'nothing')).toBeUndefined();
      expect(await records()).toEqual([]);
      expect(await keep([entry(1)], ID, 2)).toBe(1);
    });

    test('is forgotten where a device makes up many, the one reported longest ago first (I15)', async () => {
      const id = (n: number) => `history-made-u${n % 10}${Math.floor(n / 10)}`;
      await keep([entry(1)]);
      for (let n = 1; n < MAX_HISTORIES_PER_PRODUCT; n += 1) await keep([entry(1)], id(n));
      await keep([entry(2)]);
      await keep([entry(1)], id(40));
      expect(await keep([])).toBe(2);
      expect(await keep([], id(1))).toBe(0);
      expect(await keep([], id(2))).toBe(1);
    });

    if (adapter.reopen) {
      test('is still known after a restart', async () => {
        await keep([entry(1), entry(2)]);
        await storage.reopen();
        expect(await keep([entry(2), entry(3)])).toBe(3);
        expect(await seqs()).toEqual([1, 2, 3]);
      });
    }
  });
}
