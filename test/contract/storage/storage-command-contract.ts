import { describe, expect, test } from '@jest/globals';
import type { CommandPosition, CommandRecord, CommandView } from '@relaygate/server/commands/command-store';
import { eventsIn, recordsIn } from '../../support/server/audit-records';
import { freshStorage } from './fresh-storage';
import {
  ASKED,
  client,
  command,
  NOW_MS,
  opening,
  outcome,
  product,
  report,
  withAppAndGate,
  withLinkedGate,
} from './samples';
import type { StorageUnderTest } from './storage-under-test';

const NAME = 'name of app';
const ALLOWED = {
  clientActive: true,
  clientName: NAME,
  associated: true,
  productActivated: true,
  outputActivated: true,
  deviceEnrolled: false,
};

export function storageCommandContract(adapter: StorageUnderTest): void {
  describe('what a command is allowed', () => {
    const storage = freshStorage(adapter, withAppAndGate);
    const access = (numOutput = 0) => storage.current.readAccess('app', 'gate', numOutput);

    test('everything, for an active and associated client', async () => {
      expect(await access()).toEqual(ALLOWED);
    });

    test('an unknown product has no access', async () => {
      expect(await storage.current.readAccess('app', 'nothing', 0)).toBeUndefined();
    });

    test('an unknown client is neither active nor associated', async () => {
      const none = { ...ALLOWED, clientActive: false, clientName: undefined, associated: false };
      expect(await storage.current.readAccess('nobody', 'gate', 0)).toEqual(none);
    });

    test('an output beyond the declared ones is neither activated nor not', async () => {
      expect(await access(2)).toEqual({ ...ALLOWED, outputActivated: undefined });
    });

    test('whether a device is enrolled shows in the next read (I13)', async () => {
      await storage.current.enrolDevice('gate', 'public-1', 'code of gate', NOW_MS);
      expect(await access()).toEqual({ ...ALLOWED, deviceEnrolled: true });
      await storage.current.revokeDevice('gate', 'new code', NOW_MS);
      expect(await access()).toEqual(ALLOWED);
    });

    test('each change shows in the next read (I13)', async () => {
      await storage.current.setOutputActivated('gate', 0, false, NOW_MS);
      expect(await access()).toEqual({ ...ALLOWED, outputActivated: false });
      await storage.current.setProductActivated('gate', false, NOW_MS);
      expect(await access(1)).toEqual({ ...ALLOWED, productActivated: false });
      await storage.current.setClientActive('app', false, NOW_MS);
      await storage.current.dissociate('app', 'gate', NOW_MS);
      expect(await access(1)).toEqual({ ...ALLOWED, productActivated: false, clientActive: false, associated: false });
    });
  });

  describe('commands', () => {
    const storage = freshStorage(adapter, withLinkedGate);
    const lamp = async () => (await storage.current.findProduct('gate'))?.outputs[1];

    test('a recorded command is open and pending', async () => {
      await storage.current.recordCommand(command('c1'));
      expect(await storage.current.findOpen('gate', 'c1')).toEqual(ASKED);
      const { bootId: _, ...view } = command('c1');
      expect(await storage.current.findCommand('c1')).toEqual({ ...view, resolvedAtMs: null });
    });

    test('an unknown command is neither open nor found', async () => {
      expect(await storage.current.findOpen('gate', 'c1')).toBeUndefined();
      expect(await storage.current.findCommand('c1')).toBeUndefined();
      expect(await storage.current.recordOutcome(outcome('c1'))).toBe(false);
    });

    test('an outcome closes the command and becomes the known state', async () => {
      await storage.current.recordCommand(command('c1'));
      expect(await storage.current.recordOutcome(outcome('c1'))).toBe(true);
      expect(await storage.current.findOpen('gate', 'c1')).toBeUndefined();
      expect(await storage.current.findCommand('c1')).toMatchObject({ outcome: 'executed', resolvedAtMs: NOW_MS + 40 });
      expect(await lamp()).toMatchObject({ state: 1, observedAtMs: NOW_MS + 40 });
    });

    test('the same outcome again changes nothing: a retry after a lost answer', async () => {
      await storage.current.recordCommand(command('c1'));
      await storage.current.recordOutcome(outcome('c1'));
      const before = await recordsIn(storage.current);
      expect(await storage.current.recordOutcome(outcome('c1', { outcome: 'refused' }))).toBe(false);
      expect(await recordsIn(storage.current)).toEqual(before);
      expect(await storage.current.findCommand('c1')).toMatchObject({ outcome: 'executed' });
    });

    test("an outcome from another product's device is refused (I10)", async () => {
      await storage.current.createProduct(product('door'));
      await storage.current.recordCommand(command('c1'));
      expect(await storage.current.recordOutcome(outcome('c1', { productLogin: 'door' }))).toBe(false);
      expect(await storage.current.findOpen('door', 'c1')).toBeUndefined();
      expect(await storage.current.findOpen('gate', 'c1')).toEqual(ASKED);
      expect((await storage.current.findProduct('door'))?.outputs[1]?.state).toBeNull();
    });

    test('unknown keeps a command open, once, and a late confirmation closes it', async () => {
      await storage.current.recordCommand(command('c1'));
      const unknown = outcome('c1', { outcome: 'unknown', reason: 'no answer', observed: null });
      expect(await storage.current.recordOutcome(unknown)).toBe(true);
      expect(await storage.current.recordOutcome(unknown)).toBe(false);
      expect(await storage.current.findOpen('gate', 'c1')).toEqual(ASKED);
      expect(await storage.current.findCommand('c1')).toMatchObject({ outcome: 'unknown', reason: 'no answer' });
      expect(await storage.current.recordOutcome(outcome('c1', { outcome: 'confirmed-late' }))).toBe(true);
      expect(await storage.current.findOpen('gate', 'c1')).toBeUndefined();
      expect(await storage.current.findCommand('c1')).toMatchObject({ outcome: 'confirmed-late', reason: null });
    });

    test('a command that ended before it could be sent was never open', async () => {
      await storage.current.recordCommand(command('c1', { outcome: 'expired', reason: 'not-linked', bootId: null }));
      expect(await storage.current.findOpen('gate', 'c1')).toBeUndefined();
      expect(await storage.current.recordOutcome(outcome('c1'))).toBe(false);
      expect(await storage.current.findCommand('c1')).toMatchObject({
        outcome: 'expired',
        reason: 'not-linked',
        resolvedAtMs: NOW_MS,
      });
    });

    test('a toggle has no desired state', async () => {
      await storage.current.recordCommand(command('c1', { action: 'toggle', state: null }));
      expect(await storage.current.findCommand('c1')).toMatchObject({ action: 'toggle', state: null, numOutput: 1 });
    });

    const LAMP_OFF = { numOutput: 1, name: 'Lamp', mode: 'on-off', state: 0, pulseMs: 500 } as const;
    const lampOff = (seq: number, observedAtMs = NOW_MS + 900) => report({ outputs: [LAMP_OFF], seq, observedAtMs });

    test('a report that was kept and retried does not undo what a result told behind it', async () => {
      await storage.current.recordCommand(command('c1'));
      await storage.current.recordOutcome(outcome('c1', { resolvedAtMs: NOW_MS + 900 }));
      await storage.current.saveReport('gate', 1, lampOff(1));
      expect(await lamp()).toMatchObject({ state: 1, observedAtMs: NOW_MS + 900, name: 'Lamp' });
    });

    test('an outcome that was kept and retried does not undo a report behind it', async () => {
      await storage.current.recordCommand(command('c1'));
      await storage.current.saveReport('gate', 1, lampOff(3));
      expect(await storage.current.recordOutcome(outcome('c1'))).toBe(true);
      expect(await lamp()).toMatchObject({ state: 0, observedAtMs: NOW_MS + 900 });
    });

    test('what was heard later counts, also where the wall clock was set back in between (I11)', async () => {
      await storage.current.recordCommand(command('c1'));
      await storage.current.saveReport('gate', 1, lampOff(1));
      await storage.current.recordOutcome(outcome('c1', { resolvedAtMs: NOW_MS + 40 }));
      expect(await lamp()).toMatchObject({ state: 1, observedAtMs: NOW_MS + 40 });
    });

    test('what a newer link tells counts, however short a time its frames were (I11)', async () => {
      await storage.current.recordCommand(command('c1'));
      await storage.current.recordOutcome(outcome('c1', { resolvedAtMs: NOW_MS + 900 }));
      await storage.current.openLink('gate', opening());
      await storage.current.saveReport('gate', 2, lampOff(1, NOW_MS + 40));
      expect(await lamp()).toMatchObject({ state: 0, observedAtMs: NOW_MS + 40 });
    });

    test('what the link before told does not undo what a newer link tells', async () => {
      await storage.current.recordCommand(command('c1'));
      await storage.current.openLink('gate', opening());
      await storage.current.saveReport('gate', 2, lampOff(1, NOW_MS + 40));
      await storage.current.recordOutcome(outcome('c1', { resolvedAtMs: NOW_MS + 900 }));
      expect(await lamp()).toMatchObject({ state: 0, observedAtMs: NOW_MS + 40 });
    });

    test("a product's open commands come newest first, at most as many as asked for", async () => {
      await storage.current.createProduct(product('door'));
      for (const n of [1, 2, 3])
        await storage.current.recordCommand(command(`c${n}`, { acceptedAtMs: NOW_MS + n, bootId: `b${n}` }));
      await storage.current.recordCommand(command('other', { productLogin: 'door' }));
      expect(await storage.current.openCommands('gate', 2)).toEqual([
        { commandId: 'c3', bootId: 'b3' },
        { commandId: 'c2', bootId: 'b2' },
      ]);
    });

    test('a command is open for the boot of the device to which it is about to be sent', async () => {
      await storage.current.recordCommand(command('c1', { bootId: null }));
      expect(await storage.current.recordBoot('c1', 'boot-2')).toBe(true);
      await storage.current.interruptPending(NOW_MS + 500);
      expect(await storage.current.openCommands('gate', 2)).toEqual([{ commandId: 'c1', bootId: 'boot-2' }]);
      await storage.current.recordOutcome(outcome('c1', { outcome: 'expired', observed: null }));
      expect(await storage.current.recordBoot('c1', 'boot-2')).toBe(false);
    });

    test('writes happen in the order they were given: an outcome follows its record', async () => {
      const ids = Array.from({ length: 100 }, (_, n) => `c${n}`);
      const results = await Promise.all(
        ids.flatMap((id) => [storage.current.recordCommand(command(id)), storage.current.recordOutcome(outcome(id))]),
      );
      expect(results.filter((result) => result === false)).toEqual([]);
      expect(await storage.current.openCommands('gate', 1000)).toEqual([]);
    });

    test('a write that fails costs only itself', async () => {
      const writes = [
        command('c1'),
        command('c1'),
        command('c2'),
        command('c3', { productLogin: 'nothing' }),
        command('c4'),
      ];
      const settled = await Promise.allSettled(writes.map((write) => storage.current.recordCommand(write)));
      const [ok, refused] = ['fulfilled', 'rejected'];
      expect(settled.map(({ status }) => status)).toEqual([ok, refused, ok, refused, ok]);
      expect((await storage.current.openCommands('gate', 10)).map((row) => row.commandId).sort()).toEqual([
        'c1',
        'c2',
        'c4',
      ]);
      expect(await storage.current.findCommand('c3')).toBeUndefined();
    });
  });

  describe("a client's commands, newest first", () => {
    const storage = freshStorage(adapter, async (db) => {
      await withLinkedGate(db);
      await db.createProduct(product('door'));
      await db.createClient(client('other'));
      for (const [who, login] of [
        ['app', 'door'],
        ['other', 'gate'],
      ] as const)
        await db.associate(who, login, NOW_MS);
      const record = (id: string, atMs: number, changes: Partial<CommandRecord> = {}) =>
        db.recordCommand(command(id, { acceptedAtMs: NOW_MS + atMs, ...changes }));
      await record('c1', 1);
      await record('b3', 3, { productLogin: 'door' });
      await record('a2', 2);
      await record('c3', 3);
      await record('x4', 4, { clientId: 'other' });
    });
    const of = (after?: CommandPosition, limit = 10, clientId = 'app') =>
      storage.current.commandsOf(clientId, after, limit);
    const to = (productLogin: string, after?: CommandPosition, limit = 10, clientId = 'app') =>
      storage.current.commandsTo(productLogin, clientId, after, limit);
    const ids = (rows: readonly CommandView[]) => rows.map(({ commandId }) => commandId).join(' ');

    test('are those that it gave, in the order of their acceptance, whatever the order of their records', async () => {
      expect(ids(await of())).toBe('c3 b3 a2 c1');
      expect(ids(await to('gate'))).toBe('c3 a2 c1');
      expect(ids(await to('door'))).toBe('b3');
      expect([ids(await of(undefined, 10, 'other')), ids(await to('door', undefined, 10, 'other'))]).toEqual([
        'x4',
        '',
      ]);
      expect(await to('nothing')).toEqual([]);
    });

    test('are the same as when asked for by their ids', async () => {
      await storage.current.recordOutcome(outcome('c3'));
      for (const rows of [await of(), await to('gate')]) {
        const [newest] = rows;
        expect(newest).toEqual({
          ...(await storage.current.findCommand('c3')),
          ...(newest && 'associated' in newest ? { associated: true } : {}),
        });
      }
    });

    test('come in pages, also where two were accepted in the same ms, and what is added meanwhile moves none', async () => {
      const first = await of(undefined, 1);
      await storage.current.recordCommand(command('z9', { acceptedAtMs: NOW_MS + 9 }));
      const second = await of(first[0], 2);
      expect([ids(first), ids(second), ids(await of(second[1], 2))]).toEqual(['c3', 'b3 a2', 'c1']);
      expect(ids(await to('gate', first[0], 1))).toBe('a2');
      // The command of the position has been removed.
      expect(ids(await of({ acceptedAtMs: NOW_MS + 3, commandId: 'c2' }))).toBe('b3 a2 c1');
    });

    test('of a product that the client is not associated with any more say so (I7)', async () => {
      await storage.current.dissociate('app', 'door', NOW_MS);
      expect((await of()).map(({ associated }) => associated)).toEqual([true, false, true, true]);
    });
  });

  describe('commands of an interrupted run', () => {
    const storage = freshStorage(adapter, withLinkedGate);

    test('those pending become unknown and stay open', async () => {
      await storage.current.recordCommand(command('c1'));
      await storage.current.recordCommand(command('c2'));
      await storage.current.recordOutcome(outcome('c2'));
      expect(await storage.current.interruptPending(NOW_MS + 500)).toBe(1);
      expect(await storage.current.findCommand('c1')).toMatchObject({ outcome: 'unknown', resolvedAtMs: NOW_MS + 500 });
      expect(await storage.current.findCommand('c2')).toMatchObject({ outcome: 'executed' });
      expect(await storage.current.findOpen('gate', 'c1')).toEqual(ASKED);
      expect(await storage.current.interruptPending(NOW_MS + 600)).toBe(0);
    });

    test('pending ones are listed oldest first, and no others', async () => {
      for (const n of [1, 2, 3, 4]) await storage.current.recordCommand(command(`c${n}`, { acceptedAtMs: NOW_MS - n }));
      await storage.current.recordOutcome(outcome('c1'));
      await storage.current.recordOutcome(outcome('c3', { outcome: 'unknown', observed: null }));
      expect(await storage.current.pendingCommands(10)).toEqual(['c2', 'c4']);
      expect(await storage.current.pendingCommands(1)).toEqual(['c2']);
    });

    test('named ones become unknown if they are still pending, each on record, and stay open', async () => {
      for (const n of [1, 2, 3]) await storage.current.recordCommand(command(`c${n}`));
      await storage.current.recordOutcome(outcome('c2'));
      const before = (await eventsIn(storage.current)).length;
      expect(await storage.current.interruptCommands(['c1', 'c2', 'nothing'], NOW_MS + 500)).toBe(1);
      expect(await storage.current.interruptCommands(['c1'], NOW_MS + 600)).toBe(0);
      expect(await storage.current.findCommand('c1')).toMatchObject({
        outcome: 'unknown',
        reason: 'outcome-lost',
        resolvedAtMs: NOW_MS + 500,
      });
      expect(await storage.current.findCommand('c2')).toMatchObject({ outcome: 'executed' });
      expect(await storage.current.findCommand('c3')).toMatchObject({ outcome: 'pending' });
      expect((await eventsIn(storage.current)).slice(before)).toMatchObject([{ kind: 'outcome', commandId: 'c1' }]);
      expect(await storage.current.recordOutcome(outcome('c1', { outcome: 'confirmed-late' }))).toBe(true);
    });
  });
}
