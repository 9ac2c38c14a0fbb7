import { createSecretKey } from 'node:crypto';
import { beforeEach, describe, expect, test } from '@jest/globals';
import type { AuditFilter, AuditPosition, StoredAuditRecord } from '@relaygate/server/audit/audit-store';
import { macVerdict, newestCheckpoint } from '@relaygate/server/audit/checkpoint';
import { verifyAudit } from '@relaygate/server/audit/verify-audit';
import { ANY, eventsIn, recordsIn } from '../../support/server/audit-records';
import { firstFault } from './first-fault';
import { freshStorage } from './fresh-storage';
import {
  ASKED,
  client,
  command,
  family,
  keyOf,
  NOW_MS,
  opening,
  outcome,
  product,
  withAppAndGate,
  withLinkedGate,
} from './samples';
import { type StorageUnderTest, WRITER } from './storage-under-test';

const KEY = createSecretKey(Buffer.alloc(32, 1));

export function storageAuditContract(adapter: StorageUnderTest): void {
  describe('audit', () => {
    const storage = freshStorage(adapter);
    const all = () => recordsIn(storage.current);
    const lastBody = async () => JSON.parse((await all()).at(-1)?.body ?? '');

    test('is empty at first', async () => {
      expect(await all()).toEqual([]);
      expect(await storage.current.auditHeads()).toEqual([]);
      expect(await storage.current.newestRecord()).toBeUndefined();
    });

    test('begins with its registry, in which each writer is added before its first record', async () => {
      await storage.current.createClient(client('app'));
      const records: Partial<StoredAuditRecord>[] = await all();
      expect(records).toMatchObject([
        { id: 1, writer: 0, seq: 1, kind: 'audit-begun' },
        { id: 2, writer: 0, seq: 2, kind: 'writer-added' },
        { id: 3, writer: 2, seq: 1, kind: 'client-created', atMs: NOW_MS },
      ]);
      expect(await storage.current.auditHeads()).toEqual([
        { writer: '@writers', seq: 2, hash: records[1]?.hash },
        { writer: WRITER, seq: 1, hash: records[2]?.hash },
      ]);
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
      expect((await eventsIn(db)).map(({ kind }) => kind)).toEqual([
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
      expect(await firstFault(db)).toBeUndefined();
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
      const { productId } = (await storage.current.findProduct('gate')) ?? {};
      expect(await lastBody()).toEqual({
        product: productId,
        client: 'app',
        command: 'c1',
        details: { numOutput: 1, action: 'set', state: 1, bootId: 'boot-1' },
      });
      const [, , , event] = await eventsIn(storage.current);
      expect(event).toMatchObject({
        writer: WRITER,
        kind: 'command',
        atMs: NOW_MS,
        productLogin: 'gate',
        clientId: 'app',
        commandId: 'c1',
        details: { numOutput: 1, action: 'set', state: 1, bootId: 'boot-1', outcome: 'pending', reason: null },
      });
    });

    test('holds no name of a client or a person, and that of a product only where it is created', async () => {
      const db = storage.current;
      await withLinkedGate(db);
      await db.setClientActive('app', false, NOW_MS);
      await db.rotateClientKey('app', { keyId: 'k2', keyHash: 'bb', oldKeyUntilMs: NOW_MS, atMs: NOW_MS });
      await db.recordCommand(command('c1'));
      const entry = { seq: 1, actor: 'relayctl as ana', kind: 'lock', changes: [], atMs: null, bootId: 'b', bootMs: 1 };
      await db.keepHistory('gate', 1, { historyId: 'history-of-card1', entries: [entry], atMs: NOW_MS });
      const text = JSON.stringify(
        (await all()).filter(({ kind }) => kind !== 'product-created').map(({ body }) => body),
      );
      expect(text).toContain('deviceSeq');
      for (const name of ['gate', client('app').name, 'ana']) expect(text).not.toContain(name);
      expect((await eventsIn(db)).at(-1)).toMatchObject({
        productLogin: 'gate',
        details: { actor: 'relayctl as ana' },
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
      expect(await storage.current.auditFacts()).toEqual({ clients: 1, products: 1, openCommands: ['c1'] });
      expect(await storage.current.auditStoreFaults()).toEqual([]);
    });

    describe('listed', () => {
      const START = { afterId: null, newestFirst: false };
      /** What a row is known by here: its command, else its kind. */
      const listed = async (filter: Partial<AuditFilter>, position: Partial<AuditPosition> = {}, limit = 100) =>
        (await storage.current.listAudit({ ...ANY, ...filter }, { ...START, ...position }, limit)).map(
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
        expect(await listed({}, { afterId: 4 }, 2)).toEqual(['associated', 'client-created']);
        expect(await listed({}, { newestFirst }, 2)).toEqual(['outcome c2', 'command c2']);
        expect(await listed({}, { newestFirst, afterId: 10 }, 1)).toEqual(['outcome c1']);
        expect(await listed({ kind: 'outcome' }, { afterId: 11 })).toEqual([]);
      });

      test('with everything that is known of one', async () => {
        const [row] = await storage.current.listAudit({ ...ANY, outcome: 'refused' }, START, 1);
        expect(row).toEqual({
          id: 11,
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

      if (adapter.execute) {
        const execute = (statement: string) => adapter.execute?.(storage.current, statement);

        test('without rows before the first record, which verifying names', async () => {
          const before = await listed({});
          await execute(`INSERT INTO audit_log (id, writer, seq, kind, at_ms, body, hash)
            SELECT id - 99, writer, -seq, kind, at_ms, body, hash FROM audit_log WHERE kind = 'command'`);
          expect(await listed({})).toEqual(before);
          expect(await listed({}, { newestFirst: true })).toEqual(before.toReversed());
          const { findings } = await verifyAudit(storage.current);
          expect(findings).toEqual(
            [-91, -89].map((id) => ({
              writer: null,
              seq: null,
              fault: 'added',
              text: `the record with the id ${id} was added: ids begin with 1`,
            })),
          );
        });

        test('with what the records of commands say, whatever their rows say', async () => {
          const outcomes = () => storage.current.listAudit({ ...ANY, kind: 'outcome' }, START, 9);
          const before = await outcomes();
          await execute(`UPDATE commands SET num_output = 0, actor_id = 'other',
            product_id = (SELECT product_id FROM products WHERE product_login = 'door')`);
          expect(await outcomes()).toEqual(before);
        });
      }

      test('with the bookkeeping only where it is asked for', async () => {
        expect(await listed({ kind: 'writer-added' })).toEqual(['writer-added']);
        expect(await listed({})).not.toContain('writer-added');
      });
    });

    test('is read in pages', async () => {
      for (let n = 0; n < 5; n += 1) await storage.current.createClient(client(`c${n}`));
      const ids = async (after: number) => (await storage.current.readAudit(after, 3)).map((record) => record.id);
      expect([await ids(0), await ids(3), await ids(6), await ids(7)]).toEqual([[1, 2, 3], [4, 5, 6], [7], []]);
    });

    test('has checkpoints of all heads, which only the key makes', async () => {
      const db = storage.current;
      const first = await db.appendCheckpoint(KEY, NOW_MS);
      await withAppAndGate(db);
      const second = await db.appendCheckpoint(KEY, NOW_MS + 1);
      expect(first.heads.map(({ writer, seq }) => `${writer} ${seq}`)).toEqual(['@writers 2', `${WRITER} 1`]);
      expect([macVerdict(KEY, first), macVerdict(KEY, second)]).toEqual(['good', 'good']);
      expect(new Set(second.heads)).toEqual(new Set(await db.auditHeads()));
      const newest = await db.newestRecord();
      expect(newest && newestCheckpoint(KEY, newest, second.heads)).toEqual(second);
      const report = await verifyAudit(db, { key: KEY, checkpoint: second });
      expect(report).toMatchObject({ faults: 0, unconfirmed: [], checkpoints: { good: 2, unchecked: 0 } });
    });

    test('says that a new key signs it from now on, if another one did before', async () => {
      const db = storage.current;
      await withAppAndGate(db);
      expect(await db.recordNewAuditKey(KEY, NOW_MS)).toBe(false);
      expect(await eventsIn(db, 'audit-key-changed')).toEqual([]);
      const checkpoint = await db.appendCheckpoint(KEY, NOW_MS);
      const key = createSecretKey(Buffer.alloc(32, 9));
      expect(await verifyAudit(db, { key, checkpoint })).toMatchObject({ faults: 2 });
      expect(await db.recordNewAuditKey(key, NOW_MS + 1)).toBe(true);
      const report = await verifyAudit(db, { key, checkpoint });
      expect(report).toMatchObject({ faults: 0, checkpoints: { good: 1, unchecked: 1, keyChangedAtMs: NOW_MS + 1 } });
      expect(await db.recordNewAuditKey(key, NOW_MS + 2)).toBe(true);
    });

    describe('names that are erased', () => {
      beforeEach(() => withLinkedGate(storage.current));
      const report = (seq: number, actor: string) => {
        const entry = { seq, actor, kind: 'lock', changes: [], atMs: null, bootId: 'b', bootMs: 1 };
        return storage.current.keepHistory('gate', 1, {
          historyId: 'history-of-card1',
          entries: [entry],
          atMs: NOW_MS,
        });
      };
      const actors = async () =>
        (await eventsIn(storage.current, 'device-history')).map(({ details }) => details?.actor);

      test('are gone from the list, without breaking a chain, and a later one is shown again', async () => {
        for (const [n, actor] of ['relayctl as ana', 'ana', 'relayctl as anabel', 'relayctl as ana'].entries())
          await report(n + 1, actor);
        expect(await storage.current.erasePerson('ana', NOW_MS)).toBe(2);
        expect(await actors()).toEqual(['(erased)', '(erased)', 'relayctl as anabel', '(erased)']);
        await report(9, 'relayctl as ana');
        expect((await actors()).at(-1)).toBe('relayctl as ana');
        expect(await firstFault(storage.current)).toBeUndefined();
      });

      test('are on record, without the name', async () => {
        await report(1, 'relayctl as ana');
        await storage.current.erasePerson('ana', NOW_MS);
        await storage.current.eraseClientName('app', NOW_MS);
        expect(await eventsIn(storage.current, 'name-erased')).toMatchObject([
          { details: { names: 1 } },
          { clientId: 'app' },
        ]);
        expect(JSON.stringify(await recordsIn(storage.current))).not.toContain('ana');
      });

      test('of nobody change nothing', async () => {
        const before = await all();
        expect(await storage.current.erasePerson('bo', NOW_MS)).toBe(0);
        expect(await storage.current.eraseClientName('nobody', NOW_MS)).toBe(false);
        expect(await all()).toEqual(before);
      });

      test('of a client leave it with its id for a name', async () => {
        expect(await storage.current.eraseClientName('app', NOW_MS)).toBe(true);
        expect(await storage.current.findClient('app')).toMatchObject({ clientId: 'app', name: '(erased) app' });
        const [created] = await eventsIn(storage.current, 'client-created');
        expect(created).toMatchObject({ clientId: 'app', details: { name: '(erased) app' } });
      });
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
        const before = [await storage.current.findProduct('gate'), await recordsIn(storage.current)];
        const again = await storage.reopen();
        expect([await again.findProduct('gate'), await recordsIn(again)]).toEqual(before);
        expect(await again.isAssociated('app', 'gate')).toBe(true);
        expect(await again.findOpen('gate', 'c1')).toEqual(ASKED);
        expect(await again.findFamily('f1')).toEqual(family('f1'));
        expect(await again.openLink('gate', opening())).toBe(2);
        await again.createClient(client('more'));
        expect(await firstFault(again)).toBeUndefined();
      });
    }
  });
}
