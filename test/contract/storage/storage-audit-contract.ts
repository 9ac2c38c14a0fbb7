import { beforeEach, describe, expect, test } from '@jest/globals';
import type { AuditRecord } from '@relaygate/server/audit/audit-record';
import type { AuditFilter, AuditPosition } from '@relaygate/server/audit/audit-store';
import { firstFault } from './first-fault';
import { freshStorage } from './fresh-storage';
import { ASKED, client, command, family, keyOf, NOW_MS, opening, outcome, product, withAppAndGate } from './samples';
import { type StorageUnderTest, WRITER } from './storage-under-test';

function kinds(records: readonly AuditRecord[]): string[] {
  return records.map((record) => JSON.parse(record.body).kind);
}

export function storageAuditContract(adapter: StorageUnderTest): void {
  describe('audit', () => {
    const storage = freshStorage(adapter);
    const all = () => storage.current.readAudit(WRITER, 0, 1000);

    test('is empty at first', async () => {
      expect(await all()).toEqual([]);
      expect(await storage.current.auditWriters()).toEqual([]);
    });

    test('has one record for each thing worth one, in one sound chain', async () => {
      const db = storage.current;
      await withAppAndGate(db);
      await db.setClientActive('app', false, NOW_MS);
      await db.setClientActive('app', true, NOW_MS);
      await db.rotateClientKey('app', { keyId: 'k2', keyHash: 'bb', oldKeyUntilMs: NOW_MS, atMs: NOW_MS });
      await db.setProductActivated('gate', false, NOW_MS);
      await db.setProductActivated('gate', true, NOW_MS);
      await db.setOutputActivated('gate', 1, false, NOW_MS);
      await db.setOutputActivated('gate', 1, true, NOW_MS);
      await db.rotateProductKey('gate', 'bb', NOW_MS);
      await db.enrolDevice('gate', 'public-1', 'code of gate', NOW_MS);
      await db.openLink('gate', opening());
      await db.openLink('gate', opening({ instanceId: 'instance-2' }));
      await db.openLink('gate', opening());
      await db.recordCommand(command('c1'));
      await db.recordOutcome(outcome('c1'));
      await db.createFamily(family('f1'));
      await db.revokeFamily('f1', NOW_MS);
      await db.revokeDevice('gate', 'new code', NOW_MS);
      await db.dissociate('app', 'gate', NOW_MS);
      const records = await all();
      expect(kinds(records)).toEqual([
        'client-created',
        'product-created',
        'associated',
        'client-deactivated',
        'client-activated',
        'client-key-rotated',
        'product-deactivated',
        'product-activated',
        'output-deactivated',
        'output-activated',
        'product-key-rotated',
        'device-enrolled',
        'device-replaced',
        'command',
        'outcome',
        'refresh-family-revoked',
        'device-revoked',
        'dissociated',
      ]);
      expect(firstFault(records)).toBeUndefined();
      expect(await db.auditWriters()).toEqual([WRITER]);
    });

    test('has no record of what changed nothing', async () => {
      const db = storage.current;
      await withAppAndGate(db);
      await db.enrolDevice('gate', 'public-1', 'code of gate', NOW_MS);
      const before = await all();
      await db.createClient(client('other', { name: client('app').name })).catch(() => {});
      await db.createProduct(product('gate')).catch(() => {});
      await db.associate('app', 'gate', NOW_MS);
      await db.dissociate('nobody', 'gate', NOW_MS);
      await db.setClientActive('app', true, NOW_MS);
      await db.setProductActivated('gate', true, NOW_MS);
      await db.setOutputActivated('gate', 0, true, NOW_MS);
      await db.enrolDevice('gate', 'public-1', 'code of gate', NOW_MS);
      await db.enrolDevice('gate', 'public-2', 'code of gate', NOW_MS);
      await db.rotateProductKey('nothing', 'bb', NOW_MS);
      await db.revokeFamily('nothing', NOW_MS);
      await db.recordOutcome(outcome('nothing'));
      expect(await all()).toEqual(before);
    });

    test('holds everything that was asked of a command', async () => {
      await withAppAndGate(storage.current);
      await storage.current.recordCommand(command('c1'));
      const record = (await all()).at(-1);
      expect(JSON.parse(record?.body ?? '')).toEqual({
        writer: WRITER,
        seq: record?.seq,
        kind: 'command',
        atMs: NOW_MS,
        productLogin: 'gate',
        clientId: 'app',
        commandId: 'c1',
        details: { numOutput: 1, action: 'set', state: 1, bootId: 'boot-1', outcome: 'pending', reason: null },
      });
    });

    test('never holds a hash of a secret', async () => {
      await storage.current.createClient(client('app', { keyHash: 'secret-hash' }));
      await storage.current.createProduct(product('gate', { keyHash: 'secret-hash', enrolmentHash: 'secret-hash' }));
      await storage.current.rotateProductKey('gate', 'secret-hash', NOW_MS);
      await storage.current.createFamily(family('f1', { tokenHash: 'secret-hash' }));
      expect(JSON.stringify(await all())).not.toContain('secret-hash');
    });

    test('agrees with what else is known', async () => {
      await withAppAndGate(storage.current);
      await storage.current.recordCommand(command('c1'));
      expect(await storage.current.auditTotals()).toEqual({
        records: 4,
        clients: 1,
        clientsCreated: 1,
        products: 1,
        productsCreated: 1,
        openCommandsWithoutRecord: 0,
      });
      expect(await storage.current.auditStoreFaults()).toEqual([]);
    });

    describe('listed', () => {
      const EVERYTHING = {
        productLogin: null,
        clientId: null,
        sinceMs: null,
        untilMs: null,
        outcome: null,
        kind: null,
      };
      const START = { afterId: null, newestFirst: false };
      /** What a row is known by here: its command, else its kind. */
      const listed = async (filter: Partial<AuditFilter>, position: Partial<AuditPosition> = {}, limit = 100) =>
        (await storage.current.listAudit({ ...EVERYTHING, ...filter }, { ...START, ...position }, limit)).map(
          ({ kind, commandId }) => (commandId ? `${kind} ${commandId}` : kind),
        );
      beforeEach(async () => {
        const db = storage.current;
        await withAppAndGate(db);
        await db.createClient(client('other'));
        await db.createProduct(product('door'));
        await db.recordCommand(command('c1'));
        await db.recordOutcome(outcome('c1', { resolvedAtMs: NOW_MS + 40 }));
        await db.recordCommand(command('c2', { clientId: 'other', productLogin: 'door', acceptedAtMs: NOW_MS + 50 }));
        await db.recordOutcome(
          outcome('c2', { productLogin: 'door', outcome: 'refused', reason: 'locked', resolvedAtMs: NOW_MS + 60 }),
        );
      });

      test.each<[string, Partial<AuditFilter>, string[]]>([
        ['of a product', { productLogin: 'door' }, ['product-created', 'command c2', 'outcome c2']],
        ['of a client, outcomes included', { clientId: 'other' }, ['client-created', 'command c2', 'outcome c2']],
        ['of a kind', { kind: 'outcome' }, ['outcome c1', 'outcome c2']],
        ['of an outcome', { outcome: 'refused' }, ['outcome c2']],
        ['from a time on', { sinceMs: NOW_MS + 50 }, ['command c2', 'outcome c2']],
        ['before a time', { untilMs: NOW_MS + 60, sinceMs: NOW_MS + 40 }, ['outcome c1', 'command c2']],
        ['of several at once', { clientId: 'app', kind: 'outcome', outcome: 'refused' }, []],
      ])('%s', async (_, filter, expected) => {
        expect(await listed(filter)).toEqual(expected);
      });

      test('in pages, in both directions', async () => {
        const newestFirst = true;
        expect(await listed({}, {}, 2)).toEqual(['client-created', 'product-created']);
        expect(await listed({}, { afterId: 2 }, 2)).toEqual(['associated', 'client-created']);
        expect(await listed({}, { newestFirst }, 2)).toEqual(['outcome c2', 'command c2']);
        expect(await listed({}, { newestFirst, afterId: 8 }, 1)).toEqual(['outcome c1']);
        expect(await listed({ kind: 'outcome' }, { afterId: 9 })).toEqual([]);
      });

      test('with everything that is known of one', async () => {
        const [row] = await storage.current.listAudit({ ...EVERYTHING, outcome: 'refused' }, START, 1);
        expect(row).toEqual({
          id: 9,
          writer: WRITER,
          seq: 9,
          kind: 'outcome',
          atMs: NOW_MS + 60,
          productLogin: 'door',
          clientId: 'other',
          commandId: 'c2',
          details: { outcome: 'refused', reason: 'locked', numOutput: 1, state: 1 },
          hash: expect.stringMatching(/^[0-9a-f]{64}$/),
        });
      });
    });

    test('is read in pages', async () => {
      for (let n = 0; n < 5; n += 1) await storage.current.createClient(client(`c${n}`));
      const seqs = async (after: number) =>
        (await storage.current.readAudit(WRITER, after, 2)).map((record) => record.seq);
      expect([await seqs(0), await seqs(2), await seqs(4), await seqs(5)]).toEqual([[1, 2], [3, 4], [5], []]);
    });
  });

  describe('the storage as a whole', () => {
    const storage = freshStorage(adapter);

    test('says when a write can be committed', async () => {
      await expect(storage.current.probe()).resolves.toBeUndefined();
    });

    test('takes writes that were given before it was closed, and none after', async () => {
      const fresh = await adapter.open();
      const before = fresh.createClient(client('app'));
      await fresh.close();
      await expect(before).resolves.toBeUndefined();
      await expect(fresh.createClient(client('late'))).rejects.toMatchObject({ code: 'storage-unavailable' });
      await expect(fresh.isKeyActive(keyOf('app'), NOW_MS)).rejects.toMatchObject({ code: 'storage-unavailable' });
      await fresh.close();
    });

    if (adapter.reopen) {
      test('has everything again after reopening (I8)', async () => {
        await withAppAndGate(storage.current);
        await storage.current.enrolDevice('gate', 'public-1', 'code of gate', NOW_MS);
        await storage.current.openLink('gate', opening());
        await storage.current.recordCommand(command('c1'));
        await storage.current.createFamily(family('f1'));
        const before = [await storage.current.findProduct('gate'), await storage.current.readAudit(WRITER, 0, 1000)];
        const again = await storage.reopen();
        expect([await again.findProduct('gate'), await again.readAudit(WRITER, 0, 1000)]).toEqual(before);
        expect(await again.isAssociated('app', 'gate')).toBe(true);
        expect(await again.findOpen('gate', 'c1')).toEqual(ASKED);
        expect(await again.findFamily('f1')).toEqual(family('f1'));
        expect(await again.openLink('gate', opening())).toBe(2);
        await again.createClient(client('more'));
        expect(firstFault(await again.readAudit(WRITER, 0, 1000))).toBeUndefined();
      });
    }
  });
}
